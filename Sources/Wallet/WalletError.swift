/// Carries a refusal or failure of the wallet in the terms of the HTTP contract.
///
/// The database decides refusals and names them itself (`sql/functions`), so there is no second table of errors here.
public struct WalletError: Error, Sendable, Equatable {
    /// The HTTP status that fits, such as 402.
    public var status: Int
    /// The last part of the problem type, such as `insufficient-credits`.
    public var slug: String
    /// The problem's extension members as the text of a JSON object, if there are any.
    public var membersJSON: String?
    /// Seconds after which the same request may succeed, for 429 and 503.
    public var retryAfter: Int?

    /// Makes an error from its parts.
    public init(status: Int, slug: String, membersJSON: String? = nil, retryAfter: Int? = nil) {
        self.status = status
        self.slug = slug
        self.membersJSON = membersJSON
        self.retryAfter = retryAfter
    }
}

extension WalletError: CustomStringConvertible {
    /// The slug and status only: nothing of the user's.
    public var description: String { "\(self.slug) (\(self.status))" }
}
