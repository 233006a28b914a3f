/// One page of a list.
public struct Page<Item: Sendable>: Sendable {
    /// The items of this page.
    public let items: [Item]
    /// What to ask for the next page with; nil at the end of the list.
    public let nextCursor: String?
}

extension Page: Equatable where Item: Equatable {}
