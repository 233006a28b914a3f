public import Foundation
import Postgres

extension Wallet {
    /// Adds a member to the waitlist of a class; nothing is charged until the member gets a seat.
    ///
    /// SQL: `functions/bookings/join_waitlist.sql`.
    ///
    /// - Parameters:
    ///   - request: The booking to make when seats become free.
    ///   - classID: The class.
    ///   - caller: The member.
    ///   - environment: The environment of the wallet that will pay, and of the seats.
    /// - Returns: The member's position.
    /// - Throws: ``WalletError``: 401 `unauthenticated`; 403 `account-blocked`; 404 `class-not-found`; 409
    ///   `class-closed`, `already-booked`, `already-waiting`, `seats-available`, `waitlist-closed` and the limits of a
    ///   booking; 503 when the database does not answer.
    public func joinWaitlist(
        _ request: WaitlistRequest,
        of classID: String,
        for caller: Caller,
        in environment: WalletEnvironment
    ) async throws -> WaitlistResult {
        // Between the two statements the member may have been promoted; joining again then reports the booking.
        for _ in 0..<3 {
            let isNew = try await self.query(
                """
                SELECT wallet.join_waitlist(
                    \(accountOf: caller),
                    \(environment.rawValue)::wallet.environment, \(classID),
                    \(Int32(clamping: request.seats)), \(request.payWith), \(request.maxAmount)
                ) AS is_new
                """
            ) { row in try row.decode("is_new", as: Bool.self) }
            let places = try await self.waitlist(of: caller.user, in: environment)
            guard let isNew = isNew.first, let place = places.first(where: { $0.classID == classID }) else { continue }
            return WaitlistResult(waitlist: place, isNew: isNew)
        }
        throw WalletError(status: 503, slug: "wallet-busy", retryAfter: 1)
    }

    /// Removes a member from the waitlist of a class; does nothing if the member is not on it.
    ///
    /// SQL: `functions/waitlist/leave_waitlist.sql`.
    ///
    /// - Parameters:
    ///   - classID: The class.
    ///   - caller: The member.
    ///   - environment: The environment of the seats.
    /// - Throws: ``WalletError``: 401 `unauthenticated`; 404 `class-not-found`; 409 `already-booked` for a member who
    ///   has already got a seat; 503 when the database does not answer.
    public func leaveWaitlist(of classID: String, for caller: Caller, in environment: WalletEnvironment) async throws {
        try await self.execute(
            """
            SELECT wallet.leave_waitlist(
                \(accountOf: caller),
                \(environment.rawValue)::wallet.environment, \(classID)
            )::text AS done
            """
        )
    }

    /// Lists a member's positions on waitlists, the next class first.
    ///
    /// SQL: `views/waitlist/waitlist_places.sql`.
    ///
    /// - Parameters:
    ///   - user: The member.
    ///   - environment: The environment of the user's wallet.
    /// - Returns: The positions.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func waitlist(of user: UserID, in environment: WalletEnvironment) async throws -> [WaitlistPlace] {
        try await self.read(
            """
            SELECT p.class_id, p.class_title, p.starts_at, p.seats, p.place::bigint AS place, p.joined_at
            FROM wallet.waitlist_places AS p
            WHERE p.account_id = (SELECT u.account_id FROM wallet.users AS u WHERE u.user_id = \(user.rawValue))
                AND p.environment = \(environment.rawValue)::wallet.environment
            ORDER BY p.starts_at, p.class_id
            """
        ) { row in
            WaitlistPlace(
                classID: try row.decode("class_id"),
                classTitle: try row.decode("class_title"),
                startsAt: try row.decode("starts_at"),
                seats: Int(try row.decode("seats", as: Int32.self)),
                place: Int(try row.decode("place", as: Int64.self)),
                joinedAt: try row.decode("joined_at")
            )
        }
    }

    /// Lists classes with freed seats that are reserved for the waitlist.
    ///
    /// SQL: `functions/bookings/promote_next.sql`.
    ///
    /// - Parameter limit: The maximum number of classes.
    /// - Returns: The classes.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func classesToPromote(limit: Int) async throws -> [ClassSeats] {
        try await self.query(
            """
            SELECT s.class_id, s.environment::text AS environment
            FROM wallet.classes_to_promote(\(Int32(clamping: limit))) AS s
            """
        ) { row in
            ClassSeats(classID: try row.decode("class_id"), environment: try row.decodeEnvironment("environment"))
        }
    }

    /// Gives freed seats to the next member of the waitlist who can pay; each call promotes at most one member.
    ///
    /// SQL: `functions/bookings/promote_next.sql`. Any number of instances may run this at once.
    ///
    /// - Parameter seats: The seats of a class.
    /// - Returns: The result.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func promoteNext(_ seats: ClassSeats) async throws -> Promotion {
        let outcomes = try await self.query(
            """
            SELECT wallet.promote_next(
                \(seats.classID), \(seats.environment.rawValue)::wallet.environment
            ) AS outcome
            """
        ) { row in Promotion(rawValue: try row.decode("outcome")) }
        guard let outcome = outcomes.first.flatMap({ $0 }) else {
            throw WalletError(status: 500, slug: "internal-error")
        }
        return outcome
    }
}

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
public struct WaitlistResult: Encodable, Sendable {
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
