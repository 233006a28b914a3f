public import Foundation
import Postgres

extension Wallet {
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
}

extension BookingSelection {
    fileprivate var condition: String {
        switch self {
        case .all: "TRUE"
        case .standing: "b.status = 'booked' AND NOT b.is_over"
        case .completed: "b.status = 'booked' AND b.is_over"
        case .cancelled: "b.status = 'cancelled'"
        case .upcoming: "b.status = 'booked' AND b.is_ahead"
        case .history: "(b.status = 'cancelled' OR NOT b.is_ahead)"
        }
    }

    fileprivate func order(_ alias: String) -> String {
        switch self {
        case .all, .standing, .completed, .cancelled: "\(alias).booking_id DESC"
        case .upcoming: "\(alias).starts_at, \(alias).booking_id"
        case .history: "\(alias).starts_at DESC, \(alias).booking_id DESC"
        }
    }
}

extension TimedBooking {
    fileprivate static let columns = """
        b.*, b.unit::text AS unit_name, b.status AS booking_status,
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
