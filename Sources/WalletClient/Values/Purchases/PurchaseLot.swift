public import Foundation

/// One lot that a purchase granted; a bundle grants several.
public struct PurchaseLot: Codable, Sendable, Hashable, Identifiable {
    /// The lot's id.
    public var lotID: UUID
    /// `credit` or `visit`.
    public var unit: BalanceUnit
    /// The amount that was granted.
    public var granted: Int64
    /// The amount that is left.
    public var remaining: Int64

    /// The identity in a list, ``lotID``.
    public var id: UUID { self.lotID }

    /// Creates a value with the given properties, for previews and tests.
    public init(
        lotID: UUID,
        unit: BalanceUnit,
        granted: Int64,
        remaining: Int64
    ) {
        self.lotID = lotID
        self.unit = unit
        self.granted = granted
        self.remaining = remaining
    }

    private enum CodingKeys: String, CodingKey {
        case lotID = "lot_id"
        case unit
        case granted
        case remaining
    }
}
