public import Foundation

/// A refusal or failure that the wallet reported as a problem document (RFC 9457).
public struct WalletProblem: LocalizedError, Sendable, Hashable, CustomStringConvertible {
    /// The HTTP status.
    public let status: Int
    /// The last part of the problem's type, such as `insufficient-credits`; empty if the response was no problem
    /// document, for example from a proxy.
    public let slug: ProblemSlug
    /// A short description of the problem's kind.
    public let title: String
    /// A description of this occurrence of the problem, in a sentence.
    public let detail: String?
    /// The request's id in the server's log.
    public let requestID: String?
    /// The number of seconds after which to retry; nil if the response has no `Retry-After`.
    public let retryAfter: Int?
    /// The members specific to this kind of problem, such as `credits_needed`.
    public let members: [String: JSONValue]

    /// The shortage and the products that cover it; nil unless the status is 402.
    ///
    /// ``detail`` states the shortage in a sentence.
    public var insufficientCredits: InsufficientCredits? {
        guard self.slug == .insufficientCredits, let members = try? JSONEncoder().encode(self.members) else {
            return nil
        }
        return try? JSONDecoder().decode(InsufficientCredits.self, from: members)
    }

    /// The slug and the status.
    public var description: String {
        "WalletProblem \(self.slug.rawValue.isEmpty ? self.title : self.slug.rawValue) (\(self.status))"
    }

    /// The message for the user: ``detail``, or ``title`` if there is no detail; in the wallet's language.
    public var errorDescription: String? { self.detail ?? self.title }

    /// The problem's title.
    public var failureReason: String? { self.title }

    /// A suggestion for the user, a sentence in English; nil if the problem's own text is sufficient.
    public var recoverySuggestion: String? {
        switch self.slug {
        case .insufficientCredits: "Buy credits or choose another class."
        case .classFull: "Join the waitlist or choose another class."
        case .priceChanged: "Check the new price and book again."
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
