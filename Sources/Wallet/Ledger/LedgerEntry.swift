public import Foundation

/// One line of a wallet's ledger: a change that was posted and can never be changed again.
public struct LedgerEntry: Encodable, Sendable {
    /// The entry's number in its wallet: 1, 2, 3 and so on without gaps.
    public var version: Int64
    /// When it was posted.
    public var at: Date
    /// What kind of change: `grant`, `spend`, `return`, `lapse`, `refund` and so on.
    public var kind: String
    /// What changed, or nil for a booking that an unlimited plan covers.
    @Nullable public var unit: CreditUnit?
    /// The change of the spendable amount, signed.
    public var amount: Int64
    /// The spendable amount of that unit after it.
    public var balanceAfter: Int64
    /// The lot that it changed.
    @Nullable public var lotID: UUID?
    /// The booking that it belongs to.
    @Nullable public var bookingID: UUID?
    /// The store transaction that it belongs to.
    @Nullable public var transactionID: String?
    /// The reason that an administrator gave.
    @Nullable public var reason: String?
    /// The entry's link in the wallet's hash chain, in hexadecimal.
    public var hash: String

    enum CodingKeys: String, CodingKey {
        case version, at, kind, unit, amount
        case balanceAfter = "balance_after"
        case lotID = "lot_id"
        case bookingID = "booking_id"
        case transactionID = "transaction_id"
        case reason, hash
    }
}
