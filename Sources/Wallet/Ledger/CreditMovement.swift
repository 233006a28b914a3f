public import Foundation

/// A ledger entry about credits, with its purpose.
public struct CreditMovement: Sendable {
    /// The entry's number within its wallet.
    public var version: Int64
    /// The time of posting.
    public var at: Date
    /// The kind of entry, such as `grant`, `spend` or `return`.
    public var kind: String
    /// The change of the spendable amount, signed.
    public var amount: Int64
    /// The spendable credits after the entry.
    public var balanceAfter: Int64
    /// The lot that the entry changed.
    public var lotID: UUID?
    /// The source of the lot, such as `pack` or `promo`.
    public var source: String?
    /// The booking of the entry.
    public var bookingID: UUID?
    /// The class of the booking.
    public var classTitle: String?
    /// The store transaction of the entry.
    public var transactionID: String?
    /// The product of the lot.
    public var productName: String?
    /// The administrator's reason.
    public var reason: String?
    /// The entry's link in the wallet's hash chain, in hexadecimal.
    public var hash: String
}
