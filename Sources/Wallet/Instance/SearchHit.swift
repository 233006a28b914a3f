public import Foundation

/// A result of an operator's search.
public struct SearchHit: Encodable, Sendable, Equatable {
    /// `user`, `booking`, `purchase`, `adjustment`, `action` or `class`.
    public var kind: String
    /// The id: of a user, a booking or a class, the store's id of a purchase, or a reference.
    public var id: String
    /// The user; `nil` for a class, for an action without a user, and for data of a deleted user.
    ///
    /// Data of a merged user belongs to the user of the remaining account.
    @Nullable public var userID: String?
    /// The environment of the user's wallet; `nil` for users and classes, and for actions without a wallet.
    @Nullable public var environment: WalletEnvironment?
    /// The time of the creation, purchase, booking or action, or the start of a class.
    public var at: Date
    /// A description in words; `nil` for a user without anything to report.
    @Nullable public var summary: String?

    enum CodingKeys: String, CodingKey {
        case kind, id
        case userID = "user_id"
        case environment, at, summary
    }
}
