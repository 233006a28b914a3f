public import Foundation

/// A purchase of a pack, with its price in the catalogue at the time of purchase.
public struct PackPurchase: Sendable {
    /// The store's transaction id.
    public var transactionID: String
    /// The catalogue's product id.
    public var productID: String
    /// The pack's name.
    public var name: String
    /// The pack's description.
    public var description: String
    /// The number of granted credits, including the bonus.
    public var granted: Int64
    /// The number of bonus credits.
    public var bonus: Int64
    /// The price in the currency's minor unit; `nil` if unknown.
    public var paidMinor: Int64?
    /// The ISO 4217 code; `nil` if unknown.
    public var currency: String?
    /// `pending`, `completed`, `failed` or `refunded`.
    public var status: String
    /// The time of purchase.
    public var purchasedAt: Date
    /// The time at which the purchase was credited.
    public var updatedAt: Date
}
