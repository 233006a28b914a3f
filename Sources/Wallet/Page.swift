/// Asks for one page of a list.
public struct PageRequest: Sendable, Equatable {
    /// How many items at most, 1 to 100.
    public var limit: Int
    /// The `next_cursor` of the page before, or nil for the first page.
    public var cursor: String?

    /// Makes a request; the limit is held within 1 to 100.
    public init(limit: Int = 20, cursor: String? = nil) {
        self.limit = min(max(limit, 1), 100)
        self.cursor = cursor
    }
}

/// Holds one page of a list and the way to the next.
public struct Page<Item: Sendable>: Sendable {
    /// The items of this page, in the list's order.
    public var items: [Item]
    /// What to send as `cursor` for the next page; nil at the end.
    public var nextCursor: String?

    /// Makes a page.
    public init(items: [Item], nextCursor: String?) {
        self.items = items
        self.nextCursor = nextCursor
    }
}
