/// A request for a part of a list by offset, as older clients page.
///
/// The offset is bounded; clients that read further must page by cursor.
public struct OffsetRequest: Sendable, Equatable {
    /// The maximum offset.
    public static let maximumOffset = 10_000

    /// The maximum number of items, 1 to 100.
    public var limit: Int
    /// The number of items to skip, 0 to ``maximumOffset``.
    public var offset: Int

    /// Creates a request; both numbers are clamped to their bounds.
    public init(limit: Int, offset: Int = 0) {
        self.limit = min(max(limit, 1), 100)
        self.offset = min(max(offset, 0), Self.maximumOffset)
    }

    /// The maximum number of items to count: the largest offset plus the largest part.
    var countLimit: Int { Self.maximumOffset + 100 }
}

/// A part of a list, and the length of the list.
public struct OffsetPage<Item: Sendable>: Sendable {
    /// The items of this part, in the list's order.
    public var items: [Item]
    /// The length of the list, counted only as far as clients can page.
    public var total: Int

    /// Creates a part.
    public init(items: [Item], total: Int) {
        self.items = items
        self.total = total
    }
}
