import Wallet

/// Encodes a page under the name of its list, such as `{"bookings": […], "next_cursor": null}`.
struct PagedAnswer<Item: Encodable & Sendable>: Encodable, Sendable {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private let name: String
    private let items: [Item]
    private let nextCursor: String?

    init(_ name: String, _ page: Page<Item>) {
        self.name = name
        self.items = page.items
        self.nextCursor = page.nextCursor
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(self.items, forKey: Key(stringValue: self.name))
        try container.encode(self.nextCursor, forKey: Key(stringValue: "next_cursor"))
    }
}
