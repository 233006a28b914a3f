public import Foundation

/// One entry of a wallet's ledger; a posted entry never changes.
public struct LedgerEntry: Encodable, Sendable {
    /// The entry's number in its wallet: 1, 2, 3 and so on without gaps.
    public var version: Int64
    /// The time of posting.
    public var at: Date
    /// The kind of change: `grant`, `spend`, `return`, `lapse`, `refund` and so on.
    public var kind: String
    /// The unit of the change; `nil` for a booking that an unlimited plan covers.
    @Nullable public var unit: CreditUnit?
    /// The change of the spendable amount, signed.
    public var amount: Int64
    /// The spendable amount of the unit after the entry.
    public var balanceAfter: Int64
    /// The lot that the entry changed.
    @Nullable public var lotID: UUID?
    /// The booking of the entry.
    @Nullable public var bookingID: UUID?
    /// The store transaction of the entry.
    @Nullable public var transactionID: String?
    /// The administrator's reason.
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
