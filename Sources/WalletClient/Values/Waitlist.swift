public import Foundation

/// The user's place on the waitlist of a class.
public struct WaitlistPlace: Decodable, Sendable, Equatable {
    /// The class that is waited for.
    public let classID: String
    /// That class's name.
    public let classTitle: String
    /// When that class begins.
    public let startsAt: Date
    /// How many seats are asked for.
    public let seats: Int
    /// The place, counted from 1.
    public let place: Int
    /// Since when the user waits.
    public let joinedAt: Date

    private enum CodingKeys: String, CodingKey {
        case classID = "class_id"
        case classTitle = "class_title"
        case startsAt = "starts_at"
        case seats
        case place
        case joinedAt = "joined_at"
    }
}

/// One page of the user's bookings, and what the user waits for.
public struct BookingPage: Decodable, Sendable, Equatable {
    /// The bookings of this page, the last one made first.
    public let items: [Booking]
    /// The classes that the user waits for; on the first page of all or of the upcoming bookings, else empty.
    public let waitlist: [WaitlistPlace]
    /// What to ask for the next page with; nil at the end of the list.
    public let nextCursor: String?

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
