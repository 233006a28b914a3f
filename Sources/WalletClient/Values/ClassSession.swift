public import Foundation

/// A class with a date, seats and a price.
public struct ClassSession: Decodable, Sendable, Equatable {
    /// What a seat costs; a class has one price or both.
    public struct Price: Decodable, Sendable, Equatable {
        /// The price in credits; nil where credits do not pay for it.
        public let credits: Int64?
        /// The price in visits; nil where visits do not pay for it.
        public let visits: Int64?
    }

    /// The class's id.
    public let classID: String
    /// The name to show.
    public let title: String
    /// When it begins.
    public let startsAt: Date
    /// When it ends.
    public let endsAt: Date
    /// How many seats it has.
    public let capacity: Int
    /// How many of them are free.
    public let seatsLeft: Int
    /// What a seat costs.
    public let price: Price
    /// `scheduled` or `cancelled`.
    public let status: String

    private enum CodingKeys: String, CodingKey {
        case classID = "class_id"
        case title
        case startsAt = "starts_at"
        case endsAt = "ends_at"
        case capacity
        case seatsLeft = "seats_left"
        case price
        case status
    }
}
