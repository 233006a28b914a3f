public import Foundation

/// A member's request for seats that become free.
public struct WaitlistRequest: Decodable, Sendable, Equatable {
    /// The number of seats, 1 to 100; 1 by default.
    public var seats: Int
    /// `unlimited`, `visits`, `credits` or a lot id; `nil` lets the wallet choose in that order.
    public var payWith: String?
    /// The maximum price in the unit of payment; the member is skipped while the price is higher.
    public var maxAmount: Int64?

    /// Creates a request.
    public init(seats: Int = 1, payWith: String? = nil, maxAmount: Int64? = nil) {
        self.seats = seats
        self.payWith = payWith
        self.maxAmount = maxAmount
    }

    /// Decodes a request; the default is one seat.
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: `DecodingError` for members of the wrong type.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.seats = try container.decodeIfPresent(Int.self, forKey: .seats) ?? 1
        self.payWith = try container.decodeIfPresent(String.self, forKey: .payWith)
        self.maxAmount = try container.decodeIfPresent(Int64.self, forKey: .maxAmount)
    }

    enum CodingKeys: String, CodingKey {
        case seats
        case payWith = "pay_with"
        case maxAmount = "max_amount"
    }
}

/// A member's position on the waitlist of a class.
public struct WaitlistPlace: Encodable, Sendable, Equatable {
    /// The id of the class.
    public var classID: String
    /// The name of the class.
    public var classTitle: String
    /// The start of the class.
    public var startsAt: Date
    /// The number of requested seats.
    public var seats: Int
    /// The position, counted from 1.
    public var place: Int
    /// The time at which the member joined the waitlist.
    public var joinedAt: Date

    enum CodingKeys: String, CodingKey {
        case classID = "class_id"
        case classTitle = "class_title"
        case startsAt = "starts_at"
        case seats, place
        case joinedAt = "joined_at"
    }
}

/// The result of joining a waitlist.
public struct WaitlistReceipt: Encodable, Sendable {
    /// The member's position.
    public var waitlist: WaitlistPlace
    /// A Boolean value that indicates whether the member was not on the waitlist before.
    public var isNew: Bool

    enum CodingKeys: CodingKey {
        case waitlist
    }
}

/// The result of an attempt to give a class's freed seats to the next member of its waitlist.
public enum Promotion: String, Sendable {
    /// A member was booked and charged.
    case booked
    /// A member could not be booked now, keeps the position and is skipped in this round.
    case skipped
    /// Another transaction holds the next member's wallet; try again later.
    case busy
    /// No members are left in this round.
    case done
}

/// A class's seats in one environment.
public struct ClassSeats: Sendable, Equatable {
    /// The class.
    public var classID: String
    /// The environment of the seats.
    public var environment: WalletEnvironment

    /// Creates a reference to the seats of a class.
    public init(classID: String, environment: WalletEnvironment) {
        self.classID = classID
        self.environment = environment
    }
}
