public import Foundation

/// A price in a currency's major unit, such as 49.00 USD.
public struct Money: Codable, Sendable, Hashable {
    /// The amount.
    public var amount: Decimal
    /// The ISO 4217 code.
    public var currency: String

    /// Creates a value of the given properties, for previews and tests.
    public init(
        amount: Decimal,
        currency: String
    ) {
        self.amount = amount
        self.currency = currency
    }
}
