/// One page of the user's bookings, and the user's waitlist places.
public struct BookingPage: Codable, Sendable, Hashable {
    /// The bookings of this page, newest first.
    public var items: [Booking]
    /// The user's waitlist places; only on the first page of all bookings or of upcoming bookings, otherwise empty.
    public var waitlist: [WaitlistPlace]
    /// The cursor of the next page; nil on the last page.
    public var nextCursor: String?

    /// Creates a value with the given properties, for previews and tests.
    public init(
        items: [Booking] = [],
        waitlist: [WaitlistPlace] = [],
        nextCursor: String? = nil
    ) {
        self.items = items
        self.waitlist = waitlist
        self.nextCursor = nextCursor
    }

    /// Decodes a page; `waitlist` is empty if the wallet sends none.
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.items = try container.decode([Booking].self, forKey: .items)
        self.waitlist = try container.decodeIfPresent([WaitlistPlace].self, forKey: .waitlist) ?? []
        self.nextCursor = try container.decodeIfPresent(String.self, forKey: .nextCursor)
    }

    private enum CodingKeys: String, CodingKey {
        case items = "bookings"
        case waitlist
        case nextCursor = "next_cursor"
    }
}
