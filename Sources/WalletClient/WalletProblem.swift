import Foundation

/// What the wallet refused, in its own words (RFC 9457).
public struct WalletProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// The HTTP status.
    public let status: Int
    /// The last part of the problem's type, such as `insufficient-credits`; empty where the answer was no problem
    /// document, as from a proxy on the way.
    public let slug: String
    /// What is wrong, in a few words.
    public let title: String
    /// What is wrong this time, in a sentence.
    public let detail: String?
    /// The request's id in the server's log.
    public let requestID: String?
    /// After how many seconds to try again, where the answer says so.
    public let retryAfter: Int?
    /// The members that belong to this kind of problem, such as `credits_needed`.
    public let members: [String: JSONValue]

    /// The slug and the status.
    public var description: String { "WalletProblem \(self.slug.isEmpty ? self.title : self.slug) (\(self.status))" }

    init(_ response: TransportResponse) {
        let document = try? JSONDecoder().decode([String: JSONValue].self, from: response.body)
        let known: Set<String> = ["type", "title", "status", "detail", "instance", "request_id"]
        let type = document?["type"]?.stringValue ?? ""
        self.status = response.status
        self.slug = type.split(separator: "/").last.map(String.init) ?? ""
        self.title = document?["title"]?.stringValue ?? "HTTP status \(response.status)"
        self.detail = document?["detail"]?.stringValue
        self.requestID = document?["request_id"]?.stringValue ?? response.header("x-request-id")
        self.retryAfter = response.header("retry-after").flatMap(Int.init)
        self.members = document?.filter { !known.contains($0.key) } ?? [:]
    }
}
