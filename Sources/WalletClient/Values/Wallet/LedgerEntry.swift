public import Foundation

/// An entry of a wallet's ledger.
public struct LedgerEntry: Codable, Sendable, Hashable, Identifiable {
    /// The entry's number in its wallet, without gaps.
    public var version: Int64
    /// The instant of the entry.
    public var at: Date
    /// The kind of change.
    public var kind: LedgerEntryKind
    /// The unit that changed, `credit` or `visit`; nil for a booking that an unlimited plan covers.
    public var unit: BalanceUnit?
    /// The change of the spendable amount, signed.
    public var amount: Int64
    /// The spendable amount of that unit after the change.
    public var balanceAfter: Int64
    /// The id of the changed lot.
    public var lotID: UUID?
    /// The id of the booking that caused the change.
    public var bookingID: UUID?
    /// The store transaction that caused the change.
    public var transactionID: String?
    /// The reason that an operator or administrator gave.
    public var reason: String?
    /// The entry's link in the wallet's hash chain, in hexadecimal.
    public var hash: String

    /// The identity in a list, ``version``.
    public var id: Int64 { self.version }

    /// Creates a value with the given properties, for previews and tests.
    public init(
        version: Int64,
        at: Date,
        kind: LedgerEntryKind,
        unit: BalanceUnit? = nil,
        amount: Int64,
        balanceAfter: Int64,
        lotID: UUID? = nil,
        bookingID: UUID? = nil,
        transactionID: String? = nil,
        reason: String? = nil,
        hash: String
    ) {
        self.version = version
        self.at = at
        self.kind = kind
        self.unit = unit
        self.amount = amount
        self.balanceAfter = balanceAfter
        self.lotID = lotID
        self.bookingID = bookingID
        self.transactionID = transactionID
        self.reason = reason
        self.hash = hash
    }

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
