public import Foundation

/// The user's place on the waitlist of a class.
public struct WaitlistPlace: Codable, Sendable, Hashable, Identifiable {
    /// The class's id.
    public var classID: String
    /// The class's title.
    public var classTitle: String
    /// The start of the class.
    public var startsAt: Date
    /// The number of requested seats.
    public var seats: Int
    /// The position on the waitlist, counted from 1.
    public var place: Int
    /// The instant at which the user joined the waitlist.
    public var joinedAt: Date

    /// The identity in a list, ``classID``.
    public var id: String { self.classID }

    /// Creates a value with the given properties, for previews and tests.
    public init(
        classID: String,
        classTitle: String,
        startsAt: Date,
        seats: Int,
        place: Int,
        joinedAt: Date
    ) {
        self.classID = classID
        self.classTitle = classTitle
        self.startsAt = startsAt
        self.seats = seats
        self.place = place
        self.joinedAt = joinedAt
    }

    private enum CodingKeys: String, CodingKey {
        case classID = "class_id"
        case classTitle = "class_title"
        case startsAt = "starts_at"
        case seats
        case place
        case joinedAt = "joined_at"
    }
}
