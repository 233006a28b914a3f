public import Foundation

/// What a member asks to be booked once seats come free.
public struct WaitlistRequest: Decodable, Sendable, Equatable {
    /// How many seats, 1 to 100; 1 unless said.
    public var seats: Int
    /// `unlimited`, `visits`, `credits` or a lot id; nil lets the wallet choose in that order.
    public var payWith: String?
    /// The most that the booking may cost in its unit; the member is passed over while it costs more.
    public var maxAmount: Int64?

    /// Makes a request.
    public init(seats: Int = 1, payWith: String? = nil, maxAmount: Int64? = nil) {
        self.seats = seats
        self.payWith = payWith
        self.maxAmount = maxAmount
    }

    /// Reads a request, with one seat where none is said.
    ///
    /// - Parameter decoder: Where to read from.
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

/// A member's place on the waitlist of a class.
public struct WaitlistPlace: Encodable, Sendable, Equatable {
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
    /// Since when the member waits.
    public var joinedAt: Date

    enum CodingKeys: String, CodingKey {
        case classID = "class_id"
        case classTitle = "class_title"
        case startsAt = "starts_at"
        case seats, place
        case joinedAt = "joined_at"
    }
}

/// What joining a waitlist came to.
public struct WaitlistReceipt: Encodable, Sendable {
    /// The member's place.
    public var waitlist: WaitlistPlace
    /// Whether the member had not been waiting before.
    public var isNew: Bool

    enum CodingKeys: CodingKey {
        case waitlist
    }
}

/// What an attempt to give a class's freed seats to the next who waits came to.
public enum Promotion: String, Sendable {
    /// A member was booked and charged.
    case booked
    /// A member could not be booked now, keeps the place and is passed over in this round.
    case skipped
    /// The next member's wallet is in use: try later.
    case busy
    /// Nobody is left in this round.
    case done
}

/// A class's seats in one environment.
public struct ClassSeats: Sendable, Equatable {
    /// The class.
    public var classID: String
    /// Whose seats.
    public var environment: WalletEnvironment

    /// Names the seats of a class.
    public init(classID: String, environment: WalletEnvironment) {
        self.classID = classID
        self.environment = environment
    }
}
