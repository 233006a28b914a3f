public import Foundation

/// One entry of the credits' part of the ledger, with what it was for.
public struct CreditMovement: Sendable {
    /// The entry's number within its wallet.
    public var version: Int64
    /// When it was posted.
    public var at: Date
    /// What it is, such as `grant`, `spend` or `return`.
    public var kind: String
    /// The change of the spendable amount, signed.
    public var amount: Int64
    /// The spendable credits after it.
    public var balanceAfter: Int64
    /// The lot that it changed.
    public var lotID: UUID?
    /// Where that lot came from, such as `pack` or `promo`.
    public var source: String?
    /// The booking that it belongs to.
    public var bookingID: UUID?
    /// That booking's class.
    public var classTitle: String?
    /// The store transaction that it belongs to.
    public var transactionID: String?
    /// The product that its lot was granted for.
    public var productName: String?
    /// The reason that an administrator gave.
    public var reason: String?
    /// The entry's link in the wallet's hash chain, in hexadecimal.
    public var hash: String
}
