public import Foundation

/// What the wallet refused, in its own words (RFC 9457).
public struct WalletProblem: LocalizedError, Sendable, Hashable, CustomStringConvertible {
    /// The HTTP status.
    public let status: Int
    /// The last part of the problem's type, such as `insufficient-credits`; empty where the answer was no problem
    /// document, as from a proxy on the way.
    public let slug: ProblemSlug
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
    public var description: String {
        "WalletProblem \(self.slug.rawValue.isEmpty ? self.title : self.slug.rawValue) (\(self.status))"
    }

    /// What is wrong, as a sentence for the user, in the wallet's language.
    public var errorDescription: String? { self.detail ?? self.title }

    /// What is wrong, in a few words.
    public var failureReason: String? { self.title }

    /// What the user may do about it, as a sentence in English; nil where the problem's own text has to do.
    public var recoverySuggestion: String? {
        switch self.slug {
        case .insufficientCredits: "Buy credits or choose another class."
        case .classFull: "Join the waitlist or choose another class."
        case .priceChanged: "Look at the new price and book again."
        case .unauthenticated: "Sign in again."
        default: [429, 503].contains(self.status) ? "Try again in a moment." : nil
        }
    }

    /// Creates a problem, for previews and tests.
    public init(
        status: Int,
        slug: ProblemSlug,
        title: String,
        detail: String? = nil,
        requestID: String? = nil,
        retryAfter: Int? = nil,
        members: [String: JSONValue] = [:]
    ) {
        self.status = status
        self.slug = slug
        self.title = title
        self.detail = detail
        self.requestID = requestID
        self.retryAfter = retryAfter
        self.members = members
    }

    init(_ response: TransportResponse) {
        let document = try? JSONDecoder().decode([String: JSONValue].self, from: response.body)
        let known: Set<String> = ["type", "title", "status", "detail", "instance", "request_id"]
        let type = document?["type"]?.stringValue ?? ""
        self.status = response.status
        self.slug = ProblemSlug(rawValue: type.split(separator: "/").last.map(String.init) ?? "")
        self.title = document?["title"]?.stringValue ?? "HTTP status \(response.status)"
        self.detail = document?["detail"]?.stringValue
        self.requestID = document?["request_id"]?.stringValue ?? response.header("x-request-id")
        self.retryAfter = response.header("retry-after").flatMap(Int.init)
        self.members = document?.filter { !known.contains($0.key) } ?? [:]
    }
}
