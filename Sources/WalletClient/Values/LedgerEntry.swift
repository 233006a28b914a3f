public import Foundation

/// One line of a wallet's ledger.
public struct LedgerEntry: Decodable, Sendable, Equatable {
    /// The entry's number in its wallet, without gaps.
    public let version: Int64
    /// When it was posted.
    public let at: Date
    /// What kind of change.
    public let kind: String
    /// What changed, `credit` or `visit`; nil for a booking that an unlimited plan covers.
    public let unit: String?
    /// The change of the spendable amount, signed.
    public let amount: Int64
    /// The spendable amount of that unit after it.
    public let balanceAfter: Int64
    /// The lot that it changed.
    public let lotID: UUID?
    /// The booking that it belongs to.
    public let bookingID: UUID?
    /// The store transaction that it belongs to.
    public let transactionID: String?
    /// The reason that was given for it.
    public let reason: String?
    /// The entry's link in the wallet's hash chain, in hexadecimal.
    public let hash: String

    private enum CodingKeys: String, CodingKey {
        case version
        case at
        case kind
        case unit
        case amount
        case balanceAfter = "balance_after"
        case lotID = "lot_id"
        case bookingID = "booking_id"
        case transactionID = "transaction_id"
        case reason
        case hash
    }
}
