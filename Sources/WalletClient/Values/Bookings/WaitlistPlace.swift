public import Foundation

/// The user's place on the waitlist of a class.
public struct WaitlistPlace: Codable, Sendable, Hashable, Identifiable {
    /// The class that is waited for.
    public var classID: String
    /// That class's name.
    public var classTitle: String
    /// When that class begins.
    public var startsAt: Date
    /// How many seats are asked for.
    public var seats: Int
    /// The place, counted from 1.
    public var place: Int
    /// Since when the user waits.
    public var joinedAt: Date

    /// The identity in a list, ``classID``.
    public var id: String { self.classID }

    /// Creates a value of the given properties, for previews and tests.
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
