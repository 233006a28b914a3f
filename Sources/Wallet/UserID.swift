/// Names a person as the wallet knows them: the issuer's configured prefix followed by the token's `sub`.
///
/// A user id stands in one table only (`wallet.identities`); everything else refers to the account behind it.
public struct UserID: RawRepresentable, Hashable, Sendable {
    /// The prefix and subject, as one text of at most 320 characters.
    public let rawValue: String

    /// Wraps a user id that has already been authenticated.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }
}
