/// A further lot that one purchase of a bundle grants.
public struct BundleItem: Codable, Sendable, Hashable {
    /// The unit: `credit` or `visit`.
    public var unit: BalanceUnit
    /// The amount that it grants.
    public var amount: Int64
    /// The number of days after the purchase or the first use for which visits are valid; nil if they never expire.
    public var validDays: Int?
    /// The number of days after the purchase within which the first use starts the validity; nil if the purchase starts
    /// it.
    public var startsWithinDays: Int?

    /// Creates a value with the given properties, for previews and tests.
    public init(
        unit: BalanceUnit,
        amount: Int64,
        validDays: Int? = nil,
        startsWithinDays: Int? = nil
    ) {
        self.unit = unit
        self.amount = amount
        self.validDays = validDays
        self.startsWithinDays = startsWithinDays
    }

    private enum CodingKeys: String, CodingKey {
        case unit
        case amount
        case validDays = "valid_days"
        case startsWithinDays = "starts_within_days"
    }
}
