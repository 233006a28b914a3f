import Foundation
import WalletClient

extension LiveUser {
    /// Calls a Supabase function: GET without a body, POST with one.
    func call(_ function: String, _ body: [String: JSONValue]? = nil) async throws -> WebAnswer {
        let text = try body.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
        return try await self.send(body == nil ? .get : .post, "/functions/v1/\(function)", body: text)
    }

    /// Books a class as the app did, with numbers that the wallet must ignore.
    func bookWithCredits(_ classID: String) async throws -> WebAnswer {
        try await self.call(
            "credit-packs/book-with-credits",
            [
                "class_id": .string(classID), "attendees": .array([.object(["name": "Ann"])]),
                "user_id": "somebody-else", "credits_used": 0, "total_amount": 0,
            ]
        )
    }
}

extension WebAnswer {
    /// The status and error code of a function's response.
    var said: String {
        "\(self.status) \(self["error", "code"]?.stringValue ?? "")".trimmingCharacters(in: .whitespaces)
    }
}
