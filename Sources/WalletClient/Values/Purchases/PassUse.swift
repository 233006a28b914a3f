/// What is left of a pass after a visit was spent.
public struct PassUse: Codable, Sendable, Hashable {
    /// Whether nothing is left.
    public var isConsumed: Bool
    /// How many visits are left.
    public var remaining: Int64

    /// Creates a value of the given properties, for previews and tests.
    public init(
        isConsumed: Bool,
        remaining: Int64
    ) {
        self.isConsumed = isConsumed
        self.remaining = remaining
    }

    private enum CodingKeys: String, CodingKey {
        case isConsumed = "is_consumed"
        case remaining
    }
}
