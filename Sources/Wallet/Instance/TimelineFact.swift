public import Foundation

/// One thing that happened to a user, in words: a line of `wallet.timeline`.
public struct TimelineFact: Encodable, Sendable, Equatable {
    /// When.
    public var at: Date
    /// Which of the user's wallets; nil for a message of a store that waits.
    @Nullable public var environment: WalletEnvironment?
    /// The ledger's kind of entry, or what else it is, such as `booked`.
    public var kind: String
    /// What happened, with what it gave or took.
    public var fact: String
    /// The unit of the amount; nil where nothing moved.
    @Nullable public var unit: CreditUnit?
    /// What was added, or taken where it is negative.
    @Nullable public var amount: Int64?
    /// What the ledger says was left in this unit; nil where it has no line.
    @Nullable public var balanceAfter: Int64?
    /// Who did it; nil for the user and for the wallet itself.
    @Nullable public var actor: String?
    /// Why, as the actor said.
    @Nullable public var reason: String?
    /// The booking that it is about.
    @Nullable public var bookingID: UUID?
    /// The store's transaction that it is about.
    @Nullable public var transactionID: String?

    enum CodingKeys: String, CodingKey {
        case at, environment, kind, fact, unit, amount
        case balanceAfter = "balance_after"
        case actor, reason
        case bookingID = "booking_id"
        case transactionID = "transaction_id"
    }
}
