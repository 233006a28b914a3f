public import Foundation

/// An event in a user's history, in words: a row of `wallet.timeline`.
public struct TimelineFact: Encodable, Sendable, Equatable {
    /// The time of the event.
    public var at: Date
    /// The environment of the user's wallet; `nil` for a store's message that is still waiting.
    @Nullable public var environment: WalletEnvironment?
    /// The kind of ledger entry, or another kind such as `booked`.
    public var kind: String
    /// A description of the event, with the amounts.
    public var fact: String
    /// The unit of the amount; `nil` if nothing moved.
    @Nullable public var unit: CreditUnit?
    /// The added amount; negative if the amount was deducted.
    @Nullable public var amount: Int64?
    /// The balance of the unit after the event, according to the ledger; `nil` without a ledger entry.
    @Nullable public var balanceAfter: Int64?
    /// The actor; `nil` for the user and for the wallet itself.
    @Nullable public var actor: String?
    /// The actor's reason.
    @Nullable public var reason: String?
    /// The booking that the event concerns.
    @Nullable public var bookingID: UUID?
    /// The store's transaction that the event concerns.
    @Nullable public var transactionID: String?

    enum CodingKeys: String, CodingKey {
        case at, environment, kind, fact, unit, amount
        case balanceAfter = "balance_after"
        case actor, reason
        case bookingID = "booking_id"
        case transactionID = "transaction_id"
    }
}
