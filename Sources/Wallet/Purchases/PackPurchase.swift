public import Foundation

/// A purchase of a pack, with what it cost by the catalogue of its day.
public struct PackPurchase: Sendable {
    /// The store's transaction id.
    public var transactionID: String
    /// The catalogue's product id.
    public var productID: String
    /// The pack's name.
    public var name: String
    /// What the pack is.
    public var description: String
    /// How many credits it gave in all.
    public var granted: Int64
    /// How many of them were a bonus.
    public var bonus: Int64
    /// What it cost in the currency's minor unit; nil where that is not known.
    public var paidMinor: Int64?
    /// The ISO 4217 code; nil where that is not known.
    public var currency: String?
    /// `pending`, `completed`, `failed` or `refunded`.
    public var status: String
    /// When it was bought.
    public var purchasedAt: Date
    /// When it was credited.
    public var updatedAt: Date
}
