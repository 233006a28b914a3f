/// A request for one page of a list.
public struct PageRequest: Sendable, Equatable {
    /// The maximum number of items, 1 to 100.
    public var limit: Int
    /// The `next_cursor` of the previous page; `nil` for the first page.
    public var cursor: String?

    /// Creates a request; the limit is clamped to 1 to 100.
    public init(limit: Int = 20, cursor: String? = nil) {
        self.limit = min(max(limit, 1), 100)
        self.cursor = cursor
    }
}

/// One page of a list, and the cursor for the next page.
public struct Page<Item: Sendable>: Sendable {
    /// The items of this page, in the list's order.
    public var items: [Item]
    /// The `cursor` for the next page; `nil` on the last page.
    public var nextCursor: String?

    /// Creates a page.
    public init(items: [Item], nextCursor: String?) {
        self.items = items
        self.nextCursor = nextCursor
    }
}
