public import Foundation
import Postgres

extension Wallet {
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
