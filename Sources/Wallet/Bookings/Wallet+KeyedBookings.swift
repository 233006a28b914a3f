public import Foundation
import Postgres

extension Wallet {
    /// Lists the bookings whose Idempotency-Keys begin alike, anyone who booked, by account.
    ///
    /// No index leads by keys: all bookings are read, so this is for checks after a load test, not for requests.
    ///
    /// SQL: `views/bookings/booking_details.sql`.
    ///
    /// - Parameters:
    ///   - prefix: What the keys begin with.
    ///   - after: The last booking of the page before; nil to begin.
    ///   - limit: How many at most.
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

/// A booking as it stands in the books, with the key of the request that made it.
public struct KeyedBooking: Sendable, Equatable {
    /// Whose it is.
    public var accountID: Int64
    /// Its id.
    public var bookingID: UUID
    /// The Idempotency-Key that it was made under.
    public var key: String
    /// `booked` or `cancelled`.
    public var status: String
}
