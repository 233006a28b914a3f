/// One page of the user's bookings, and what the user waits for.
public struct BookingPage: Codable, Sendable, Hashable {
    /// The bookings of this page, the last one made first.
    public var items: [Booking]
    /// The classes that the user waits for; on the first page of all or of the upcoming bookings, else empty.
    public var waitlist: [WaitlistPlace]
    /// What to ask for the next page with; nil at the end of the list.
    public var nextCursor: String?

    /// Creates a value of the given properties, for previews and tests.
    public init(
        items: [Booking] = [],
        waitlist: [WaitlistPlace] = [],
        nextCursor: String? = nil
    ) {
        self.items = items
        self.waitlist = waitlist
        self.nextCursor = nextCursor
    }

    /// Reads a page; a wallet that knows no waitlists has none.
    /// - Parameter decoder: where to read from.
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
