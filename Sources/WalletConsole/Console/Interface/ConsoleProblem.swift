import Foundation
import NIOCore
import Wallet

/// A problem that a page displays.
struct ConsoleProblem: Error, Sendable {
    let status: Int
    /// The last part of the problem's type; nil for a problem that does not come from the API.
    let slug: String?
    let title: String
    let detail: String?
    /// The number of seconds to wait before a retry; nil if no value is known.
    let retryAfter: Int?

    init(status: Int, title: String, detail: String? = nil, retryAfter: Int? = nil) {
        self.status = status
        self.slug = nil
        self.title = title
        self.detail = detail
        self.retryAfter = retryAfter
    }

    /// Creates a problem from the API's problem document.
    init(_ status: Int, _ body: ByteBuffer, retryAfter: Int? = nil) {
        self.status = status
        self.retryAfter = retryAfter
        let document = try? JSONDecoder().decode(JSONValue.self, from: Data(body.readableBytesView))
        self.slug = document?["type"]?.text?.split(separator: "/").last.map(String.init)
        self.title = document?["title"]?.text ?? "The service returned status \(status)."
        let known = ["type", "title", "status", "detail", "request_id"]
        let more = (document?.members ?? [:]).filter { !known.contains($0.key) }.sorted { $0.key < $1.key }
            .map { "\($0.key) \($0.value.text ?? $0.value.jsonText)" }
        let parts = [document?["detail"]?.text, more.isEmpty ? nil : more.joined(separator: ", ")].compactMap { $0 }
        self.detail = parts.isEmpty ? nil : parts.joined(separator: " ")
    }
}
