import Foundation
import Hummingbird
import Wallet

extension Problem {
    /// How a problem is written.
    enum Form: Sendable {
        /// As RFC 9457 has it.
        case document
        /// As the Supabase face has it.
        case envelope
    }

    /// The problem in the face's envelope: the same status, its own code, its members as details.
    var failureEnvelope: [String: JSONValue] {
        let code = SupabaseErrorCode(self)
        let title = ProblemTitles.title(of: self.slug, status: self.status.code)
        var error: [String: JSONValue] = [
            "code": .text(code.name),
            "message": .text(self.detail ?? "\(title)."),
            "timestamp": .text(Date().formatted(.iso8601)),
        ]
        let details = code.details(of: self)
        if !details.isEmpty { error["details"] = .object(details) }
        let meta: [String: JSONValue] = self.requestID.map { ["request_id": .text($0)] } ?? [:]
        return ["success": false, "error": .object(error), "meta": .object(meta)]
    }
}
