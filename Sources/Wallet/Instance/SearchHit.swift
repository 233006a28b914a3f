public import Foundation

/// Something that an operator's search has found.
public struct SearchHit: Encodable, Sendable, Equatable {
    /// `user`, `booking`, `purchase`, `adjustment`, `action` or `class`.
    public var kind: String
    /// What it is called: the user's id, the booking's, the store's for a purchase, a reference, a class's id.
    public var id: String
    /// Whose it is; nil for a class, for what was done to no user, and for what was a deleted user's.
    ///
    /// What was a merged user's is the user's that they were merged into.
    @Nullable public var userID: String?
    /// Which of the user's wallets; nil for users and classes, and for what was done to no wallet.
    @Nullable public var environment: WalletEnvironment?
    /// When it was made, bought, booked or done; when a class begins.
    public var at: Date
    /// What it is, in words; nil for a user of whom there is nothing to say.
    @Nullable public var summary: String?

    enum CodingKeys: String, CodingKey {
        case kind, id
        case userID = "user_id"
        case environment, at, summary
    }
}
