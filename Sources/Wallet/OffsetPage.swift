/// Asks for a part of a list by its distance from the start, as older clients page.
///
/// The distance is bounded: anyone who reads further pages by cursor.
public struct OffsetRequest: Sendable, Equatable {
    /// The largest distance from the start.
    public static let maximumOffset = 10_000

    /// How many items at most, 1 to 100.
    public var limit: Int
    /// How many items to pass over, 0 to ``maximumOffset``.
    public var offset: Int

    /// Makes a request; both numbers are held within their bounds.
    public init(limit: Int, offset: Int = 0) {
        self.limit = min(max(limit, 1), 100)
        self.offset = min(max(offset, 0), Self.maximumOffset)
    }

    /// As far as items are counted: one part beyond what can be asked for.
    var countLimit: Int { Self.maximumOffset + 100 }
}

/// Holds a part of a list and how long the list is.
public struct OffsetPage<Item: Sendable>: Sendable {
    /// The items of this part, in the list's order.
    public var items: [Item]
    /// How many items the list has, counted as far as it can be asked for.
    public var total: Int

    /// Makes a part.
    public init(items: [Item], total: Int) {
        self.items = items
        self.total = total
    }
}
