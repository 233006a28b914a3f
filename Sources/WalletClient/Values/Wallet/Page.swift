/// One page of a list.
public struct Page<Item: Sendable>: Sendable {
    /// The items of this page.
    public var items: [Item]
    /// What to ask for the next page with; nil at the end of the list.
    public var nextCursor: String?

    /// Creates a page of the given items, for previews and tests.
    public init(items: [Item], nextCursor: String? = nil) {
        self.items = items
        self.nextCursor = nextCursor
    }
}

extension Page: Equatable where Item: Equatable {}
extension Page: Hashable where Item: Hashable {}
