import Foundation

/// A store transaction of the user and what became of its grant.
public struct Purchase: Decodable, Sendable, Equatable {
    /// The store's transaction id.
    public let transactionID: String
    /// The catalogue's product id; the store's where the catalogue has none.
    public let productID: String
    /// `granted`, `consumed`, `partly_consumed`, `refunded`, or why nothing was granted.
    public let status: String
    /// Whether nothing of it is left.
    public let isConsumed: Bool
    /// How much it granted.
    public let granted: Int64
    /// How much of that is left.
    public let remaining: Int64

    private enum CodingKeys: String, CodingKey {
        case transactionID = "transaction_id"
        case productID = "product_id"
        case status
        case isConsumed = "is_consumed"
        case granted
        case remaining
    }
}
