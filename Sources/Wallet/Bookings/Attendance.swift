public import Foundation
import Postgres

extension Wallet {
    /// Checks a member in: marks the member's booking as attended, once.
    ///
    /// SQL: `functions/bookings/attendance.sql`.
    ///
    /// - Parameters:
    ///   - id: The booking.
    ///   - caller: The owner of the booking.
    ///   - environment: The environment of the caller's wallet.
    /// - Returns: The booking in its current state.
    /// - Throws: ``WalletError`` 401 `unauthenticated`, 404 `booking-not-found`, 409 `booking-cancelled`,
    ///   `already-marked`, `check-in-not-open` or `check-in-closed`, 503 `wallet-busy`, or when the database does not
    ///   answer.
    public func checkIn(
        _ id: UUID,
        for caller: Caller,
        in environment: WalletEnvironment
    ) async throws -> Booking {
        defer { self.writes.increment() }
        try await self.execute(
            """
            SELECT wallet.check_in(
                \(accountOf: caller), \(environment.rawValue)::wallet.environment, \(id)
            )
            """
        )
        return try await self.booking(id, of: caller.user, in: environment)
    }
}
