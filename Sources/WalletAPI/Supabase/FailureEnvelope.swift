import Foundation
import Hummingbird
import Wallet

extension Problem {
    /// The format of a problem.
    enum Form: Sendable {
        /// The format of RFC 9457.
        case document
        /// The format of the Supabase API.
        case envelope
    }

    /// The problem in the Supabase format: the same status, the Supabase error code, and the members as details.
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
