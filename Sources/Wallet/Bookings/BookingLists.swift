public import Foundation
import Postgres

extension Wallet {
    /// Returns one booking of a user.
    ///
    /// SQL: `views/bookings/booking_details.sql`.
    ///
    /// - Parameters:
    ///   - id: The booking.
    ///   - user: The owner of the booking.
    ///   - environment: The environment of the user's wallet.
    /// - Returns: The booking in its current state.
    /// - Throws: ``WalletError`` 404 `booking-not-found`, also for another user's booking; 503.
    public func booking(_ id: UUID, of user: UserID, in environment: WalletEnvironment) async throws -> Booking {
        let found = try await self.read(
            """
            SELECT \(unescaped: Booking.columns) FROM wallet.booking_details AS b
            INNER JOIN wallet.users AS u ON b.account_id = u.account_id
            WHERE u.user_id = \(user.rawValue) AND b.booking_id = \(id)
                AND b.environment = \(environment.rawValue)::wallet.environment
            """
        ) { row in try Booking(row: row) }
        guard let booking = found.first else { throw WalletError(status: 404, slug: "booking-not-found") }
        return booking
    }

    /// Lists a user's bookings, the newest first.
    ///
    /// SQL: `views/bookings/booking_details.sql`.
    ///
    /// - Parameters:
    ///   - user: The owner of the bookings.
    ///   - environment: The environment of the user's wallet.
    ///   - filter: The bookings to list; `nil` for all.
    ///   - page: The page to return.
    /// - Returns: The page.
    /// - Throws: ``WalletError`` 400 for an invalid cursor, 503 when the database does not answer.
    public func bookings(
        of user: UserID,
        in environment: WalletEnvironment,
        filter: BookingFilter?,
        page: PageRequest
    ) async throws -> Page<Booking> {
        try await self.answer(BookingRead.self, to: BookingRead.read(of: user, in: environment, filter, page)).bookings
    }

    /// Admits a caller and lists the caller's bookings, the newest first.
    ///
    /// SQL: `views/bookings/booking_details.sql`.
    ///
    /// - Parameters:
    ///   - caller: The owner of the bookings.
    ///   - environment: The environment of the caller's wallet.
    ///   - filter: The bookings to list; `nil` for all.
    ///   - page: The page to return.
    /// - Returns: The page.
    /// - Throws: ``WalletError`` 400 for an invalid cursor, 401 `unauthenticated`, 503 when the database does not answer.
    public func bookings(
        of caller: Caller,
        in environment: WalletEnvironment,
        filter: BookingFilter?,
        page: PageRequest
    ) async throws -> BookingPage {
        let read = try BookingRead.read(of: caller.user, in: environment, filter, page)
        return try await self.answer(self.bookingLists, to: read, of: caller)
    }

    /// Returns one booking of a user with the times of its class.
    ///
    /// SQL: `views/bookings/booking_details.sql`.
    ///
    /// - Parameters:
    ///   - id: The booking.
    ///   - user: The owner of the booking.
    ///   - environment: The environment of the user's wallet.
    /// - Returns: The booking in its current state.
    /// - Throws: ``WalletError`` 404 `booking-not-found`, also for another user's booking; 503.
    public func timedBooking(
        _ id: UUID,
        of user: UserID,
        in environment: WalletEnvironment
    ) async throws -> TimedBooking {
        let found = try await self.read(
            """
            SELECT \(unescaped: TimedBooking.columns)
            FROM wallet.booking_details AS b
            WHERE b.account_id = (SELECT u.account_id FROM wallet.users AS u WHERE u.user_id = \(user.rawValue))
                AND b.booking_id = \(id) AND b.environment = \(environment.rawValue)::wallet.environment
            """
        ) { row in try TimedBooking(row: row) }
        guard let booking = found.first else { throw WalletError(status: 404, slug: "booking-not-found") }
        return booking
    }

    /// Lists a user's bookings with the times of their classes.
    ///
    /// SQL: `views/bookings/booking_details.sql`.
    ///
    /// - Parameters:
    ///   - user: The owner of the bookings.
    ///   - environment: The environment of the user's wallet.
    ///   - selection: The bookings to list, and their order.
    ///   - part: The part of the list to return.
    /// - Returns: The part.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func timedBookings(
        of user: UserID,
        in environment: WalletEnvironment,
        _ selection: BookingSelection,
        part: OffsetRequest
    ) async throws -> OffsetPage<TimedBooking> {
        try await self.part(
            """
            SELECT t.total, \(unescaped: TimedBooking.columns), b.booking_id IS NOT NULL AS is_found
            FROM (
                SELECT count(*) AS total FROM (
                    SELECT FROM wallet.booking_details AS b
                    WHERE b.account_id = (SELECT u.account_id FROM wallet.users AS u WHERE u.user_id = \(user.rawValue))
                        AND b.environment = \(environment.rawValue)::wallet.environment
                        AND \(unescaped: selection.condition)
                    LIMIT \(part.countLimit)
                ) AS n
            ) AS t
            LEFT JOIN (
                (
                    SELECT o.booking_id
                    FROM (
                        SELECT b.booking_id, b.starts_at FROM wallet.booking_details AS b
                        WHERE b.environment = \(environment.rawValue)::wallet.environment AND b.account_id = (
                            SELECT u.account_id FROM wallet.users AS u WHERE u.user_id = \(user.rawValue)
                        )
                            AND \(unescaped: selection.condition)
                        ORDER BY \(unescaped: selection.order("b"))
                        -- Keeps the planner from reading everybody's bookings until there are enough of this user.
                        OFFSET 0
                    ) AS o
                    ORDER BY \(unescaped: selection.order("o"))
                    LIMIT \(part.limit) OFFSET \(part.offset)
                ) AS k
                INNER JOIN wallet.booking_details AS b USING (booking_id)
            ) ON TRUE
            ORDER BY \(unescaped: selection.order("b"))
            """
        ) { row in try TimedBooking(row: row) }
    }

    /// Lists the bookings of all users whose Idempotency-Keys begin with a prefix, ordered by account.
    ///
    /// No index begins with the key, so PostgreSQL reads all bookings. Use this for checks after a load test, not for
    /// requests.
    ///
    /// SQL: `views/bookings/booking_details.sql`.
    ///
    /// - Parameters:
    ///   - prefix: The prefix of the keys.
    ///   - after: The last booking of the previous page; `nil` for the first page.
    ///   - limit: The maximum number of bookings.
    /// - Returns: The bookings.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func bookings(
        keyedFrom prefix: String,
        after: KeyedBooking?,
        limit: Int
    ) async throws -> [KeyedBooking] {
        try await self.read(
            """
            SELECT b.account_id, b.booking_id, b.idempotency_key, b.status FROM wallet.booking_details AS b
            WHERE starts_with(b.idempotency_key, \(prefix))
                AND (b.account_id, b.booking_id) > (
                    \(after?.accountID ?? 0), coalesce(\(after?.bookingID), '00000000-0000-0000-0000-000000000000'::uuid)
                )
            ORDER BY b.account_id, b.booking_id
            LIMIT \(limit)
            """
        ) { row in
            KeyedBooking(
                accountID: try row.decode("account_id"),
                bookingID: try row.decode("booking_id"),
                key: try row.decode("idempotency_key"),
                status: try row.decode("status")
            )
        }
    }
}

/// A page of a user's bookings.
public struct BookingPage: Sendable {
    /// The bookings, the newest first.
    public var bookings: Page<Booking>
    /// A Boolean value that indicates whether the user is on a waitlist.
    public var isWaiting: Bool
}

/// The reads of bookings, page by page.
enum BookingRead: UserReadKind {
    static let columns = "\(Booking.columns), w.is_waiting"

    // All bookings are read along their index. A filter needs the class of each booking, so it first finds the ids of
    // the page. Only the branch that applies is run.
    static let joins = """
        LEFT JOIN LATERAL (
            SELECT TRUE AS is_waiting FROM wallet.waitlist_places AS o
            WHERE o.account_id = q.account_id AND o.environment = q.environment
            LIMIT 1
        ) AS w ON TRUE
        LEFT JOIN LATERAL (
            (
                SELECT o.* FROM wallet.booking_details AS o
                WHERE q.filter IS NULL AND o.account_id = q.account_id AND o.environment = q.environment
                    AND o.booking_id < coalesce(q.before::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
                ORDER BY o.booking_id DESC
                LIMIT q.row_limit + 1
            )
            UNION ALL
            SELECT o.* FROM (
                SELECT k.booking_id FROM (
                    SELECT o.booking_id FROM wallet.booking_details AS o
                    WHERE q.filter IS NOT NULL AND o.account_id = q.account_id AND o.environment = q.environment
                        AND o.booking_id < coalesce(q.before::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
                        AND CASE q.filter
                            WHEN 'upcoming' THEN o.status = 'booked' AND o.is_ahead
                            WHEN 'past' THEN o.status = 'booked' AND NOT o.is_ahead
                            ELSE o.status = 'cancelled'
                        END
                    ORDER BY o.booking_id DESC
                    -- Keeps the planner from reading everybody's bookings in order until there are enough of this user.
                    OFFSET 0
                ) AS k
                ORDER BY k.booking_id DESC
                LIMIT q.row_limit + 1
            ) AS k
            INNER JOIN wallet.booking_details AS o ON k.booking_id = o.booking_id
        ) AS b ON TRUE
        """

    static let order = "b.booking_id DESC"

    static func read(
        of user: UserID,
        in environment: WalletEnvironment,
        _ filter: BookingFilter?,
        _ page: PageRequest
    ) throws -> UserRead {
        UserRead(
            user: user,
            environment: environment,
            limit: page.limit,
            before: try page.cursorUUID()?.uuidString,
            filter: filter?.rawValue
        )
    }

    static func answer(_ rows: [Row], to read: UserRead) throws -> BookingPage {
        let found = try rows.filter { try $0.decode("booking_id", as: UUID?.self) != nil }.map { try Booking(row: $0) }
        return BookingPage(
            bookings: Page(found, limit: read.limit) { [$0.bookingID.uuidString] },
            isWaiting: try rows.first?.decode("is_waiting", as: Bool?.self) ?? false
        )
    }
}

/// A filter for a list of bookings.
public enum BookingFilter: String, Sendable {
    /// Active bookings of classes that have not begun.
    case upcoming
    /// Active bookings of classes that have begun.
    case past
    /// Cancelled bookings.
    case cancelled
}

/// A booking together with the times of its class.
public struct TimedBooking: Sendable {
    /// The booking in its current state.
    public var booking: Booking
    /// The end of the class.
    public var endsAt: Date
    /// The number of seconds until the class begins; negative after that.
    public var secondsAhead: Int64
    /// A Boolean value that indicates whether the class has ended.
    public var isOver: Bool
}

extension TimedBooking {
    fileprivate static let columns = """
        \(Booking.columns), b.ends_at, b.is_over,
        floor(extract(EPOCH FROM b.starts_at - wallet.now()))::bigint AS seconds_ahead
        """

    fileprivate init(row: Row) throws {
        self.init(
            booking: try Booking(row: row),
            endsAt: try row.decode("ends_at"),
            secondsAhead: try row.decode("seconds_ahead"),
            isOver: try row.decode("is_over")
        )
    }
}

/// A filter and an order for lists of bookings that page by offset.
public enum BookingSelection: String, Sendable {
    /// All bookings, the newest first.
    case all
    /// Active bookings of classes that have not ended, without no-shows, the newest first.
    case standing
    /// Active bookings of classes that have ended, without no-shows, the newest first.
    case completed
    /// Active bookings whose members did not come, the newest first.
    case noShows = "no_show"
    /// Cancelled bookings, the newest first.
    case cancelled
    /// Active bookings of classes that have not begun, the next class first.
    case upcoming
    /// Cancelled bookings, and bookings of classes that have begun; the latest class first.
    case history
}

extension BookingSelection {
    fileprivate var condition: String {
        switch self {
        case .all: "TRUE"
        case .standing: "b.status = 'booked' AND NOT b.is_over AND b.attendance <> 'no_show'"
        case .completed: "b.status = 'booked' AND b.is_over AND b.attendance <> 'no_show'"
        case .noShows: "b.status = 'booked' AND b.attendance = 'no_show'"
        case .cancelled: "b.status = 'cancelled'"
        case .upcoming: "b.status = 'booked' AND b.is_ahead"
        case .history: "(b.status = 'cancelled' OR NOT b.is_ahead)"
        }
    }

    fileprivate func order(_ alias: String) -> String {
        switch self {
        case .all, .standing, .completed, .noShows, .cancelled: "\(alias).booking_id DESC"
        case .upcoming: "\(alias).starts_at, \(alias).booking_id"
        case .history: "\(alias).starts_at DESC, \(alias).booking_id DESC"
        }
    }
}

/// A stored booking with the key of the request that made it.
public struct KeyedBooking: Sendable, Equatable {
    /// The account of the booking's owner.
    public var accountID: Int64
    /// The booking's id.
    public var bookingID: UUID
    /// The Idempotency-Key of the request that made the booking.
    public var key: String
    /// `booked` or `cancelled`.
    public var status: String
}
