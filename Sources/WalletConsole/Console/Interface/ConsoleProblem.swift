import Foundation
import NIOCore
import Wallet

/// Why something cannot be shown or done, for a page.
struct ConsoleProblem: Error, Sendable {
    let status: Int
    /// The last part of the problem's type; nil for what is no problem of the API.
    let slug: String?
    let title: String
    let detail: String?
    /// How many seconds to wait before the next try; nil for none.
    let retryAfter: Int?

    init(status: Int, title: String, detail: String? = nil, retryAfter: Int? = nil) {
        self.status = status
        self.slug = nil
        self.title = title
        self.detail = detail
        self.retryAfter = retryAfter
    }

    /// Reads a problem document.
    init(_ status: Int, _ body: ByteBuffer, retryAfter: Int? = nil) {
        self.status = status
        self.retryAfter = retryAfter
        let document = try? JSONDecoder().decode(JSONValue.self, from: Data(body.readableBytesView))
        self.slug = document?["type"]?.text?.split(separator: "/").last.map(String.init)
        self.title = document?["title"]?.text ?? "The service answered \(status)."
        let known = ["type", "title", "status", "detail", "request_id"]
        let more = (document?.members ?? [:]).filter { !known.contains($0.key) }.sorted { $0.key < $1.key }
            .map { "\($0.key) \($0.value.text ?? $0.value.jsonText)" }
        let parts = [document?["detail"]?.text, more.isEmpty ? nil : more.joined(separator: ", ")].compactMap { $0 }
        self.detail = parts.isEmpty ? nil : parts.joined(separator: " ")
    }
}
