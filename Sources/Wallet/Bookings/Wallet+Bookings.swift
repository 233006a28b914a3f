public import Foundation
import Postgres

extension Wallet {
    /// Books seats and pays for them, once per key; waiting requests are decided in one batch.
    ///
    /// SQL: `functions/bookings/book_batch.sql`.
    ///
    /// - Parameters:
    ///   - new: The booking to make.
    ///   - caller: The user who books and pays.
    ///   - environment: The environment of the wallet that pays and of the booked seats.
    ///   - key: The request's Idempotency-Key; repeating the key always returns the same booking.
    ///   - id: The id for a new booking; no other call may have used it.
    /// - Returns: The booking and the balance after it.
    /// - Throws: ``WalletError``: 401 `unauthenticated` if the caller's token is no longer valid; 402
    ///   `insufficient-credits`; 403 `account-blocked`; 404 `class-not-found`; 409 `class-closed`, `already-booked`,
    ///   `class-full`, `payment-not-accepted`, `price-changed`; 422 `idempotency-key-reused`; 503 `wallet-busy`,
    ///   `overloaded`, `database-unavailable`.
    public func book(
        _ new: NewBooking,
        for caller: Caller,
        in environment: WalletEnvironment,
        key: String,
        id: UUID = .timeOrdered()
    ) async throws -> BookingReceipt {
        let item = BookingItem(caller: caller, environment: environment, operation: .book(new, key: key, id: id))
        let receipt = try await self.bookings.decide(item).receipt(made: item.bookingID)
        self.metrics.noteDebit(of: receipt.booking.amount, in: receipt.booking.unit, replayed: receipt.replayed)
        return receipt
    }

    /// Returns the result that a booking would have, by the same rules, and changes nothing.
    ///
    /// SQL: `functions/bookings/book_batch.sql`.
    ///
    /// - Parameters:
    ///   - new: The booking to check.
    ///   - caller: The user who would pay.
    ///   - environment: The environment of the wallet that would pay.
    /// - Returns: The price and the remaining balance.
    /// - Throws: ``WalletError`` as for a booking, without the refusals about keys.
    public func quote(
        _ new: NewBooking,
        for caller: Caller,
        in environment: WalletEnvironment
    ) async throws -> BookingQuote {
        let item = BookingItem(caller: caller, environment: environment, operation: .quote(new)).withoutAccount
        let outcomes = try await self.query(BookingItem.batch([item], waits: false)) { try BookingOutcome(row: $0) }
        guard let outcome = outcomes.first else { throw WalletError(status: 500, slug: "internal-error") }
        return try outcome.quote()
    }

    /// Cancels a booking by the policy at the time of booking; cancelling again returns the same result.
    ///
    /// SQL: `functions/bookings/rules.sql`.
    ///
    /// - Parameters:
    ///   - id: The booking.
    ///   - caller: The owner of the booking.
    ///   - environment: The environment of the user's wallet.
    /// - Returns: The cancelled booking with the returned amount, and the balance after it.
    /// - Throws: ``WalletError``: 401 `unauthenticated`; 404 `booking-not-found`; 409 `not-cancellable`; 503 as for
    ///   booking.
    public func cancel(
        _ id: UUID,
        for caller: Caller,
        in environment: WalletEnvironment
    ) async throws -> BookingReceipt {
        let item = BookingItem(caller: caller, environment: environment, operation: .cancel(id))
        return try await self.bookings.decide(item).receipt()
    }
}

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
            SELECT b.*, b.unit::text AS unit_name, b.status AS booking_status FROM wallet.booking_details AS b
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
        let before = try page.cursorUUID()
        let found = try await self.read(
            """
            SELECT b.*, b.unit::text AS unit_name, b.status AS booking_status
            FROM (
                SELECT o.booking_id FROM wallet.booking_details AS o
                WHERE o.account_id = (SELECT u.account_id FROM wallet.users AS u WHERE u.user_id = \(user.rawValue))
                    AND o.environment = \(environment.rawValue)::wallet.environment
                    AND o.booking_id < coalesce(\(before), 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
                    AND CASE \(filter?.rawValue)::text
                        WHEN 'upcoming' THEN o.status = 'booked' AND o.is_ahead
                        WHEN 'past' THEN o.status = 'booked' AND NOT o.is_ahead
                        WHEN 'cancelled' THEN o.status = 'cancelled'
                        ELSE TRUE
                    END
                ORDER BY o.booking_id DESC
                -- Keeps the planner from reading everybody's bookings in order until there are enough of this user.
                OFFSET 0
            ) AS o
            INNER JOIN wallet.booking_details AS b ON b.booking_id = o.booking_id
            ORDER BY o.booking_id DESC
            LIMIT \(page.limit + 1)
            """
        ) { row in try Booking(row: row) }
        return Page(found, limit: page.limit) { [$0.bookingID.uuidString] }
    }
}
