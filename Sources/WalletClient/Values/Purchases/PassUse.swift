/// The state of a pass after a visit was spent.
public struct ConsumeResult: Codable, Sendable, Hashable {
    /// A Boolean value that indicates whether the pass has no visits left.
    public var isConsumed: Bool
    /// The number of visits left.
    public var remaining: Int64

    /// Creates a value with the given properties, for previews and tests.
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
