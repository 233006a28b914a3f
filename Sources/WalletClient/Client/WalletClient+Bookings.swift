public import Foundation

extension WalletClient {
    /// Books a class; sending the same intent again makes no second booking.
    /// - Parameter intent: The booking to make, with its idempotency key.
    /// - Returns: The booking and the current balance. ``BookingResult/isReplayed`` is true if the booking already
    ///   existed.
    /// - Throws: ``WalletProblem``, such as `insufficient-credits`, `class-full`, `already-booked`, `price-changed`;
    ///   `idempotency-key-reused` if the key belongs to another booking.
    public func book(_ intent: BookingIntent) async throws -> BookingResult {
        let call = WalletCall(
            method: "POST",
            path: ["bookings"],
            body: try JSONEncoder().encode(BookingIntent.Body(intent)),
            idempotencyKey: intent.idempotencyKey
        )
        var (result, response) = try await self.send(call, as: BookingResult.self)
        result.isReplayed = response.header("idempotent-replayed") == "true"
        return result
    }

    /// Returns the price of a booking without booking.
    /// - Parameter intent: The booking to price.
    /// - Returns: The price, the lots that would pay and the balance afterwards.
    /// - Throws: The ``WalletProblem`` that the booking would throw.
    public func quote(_ intent: BookingIntent) async throws -> BookingQuote {
        let call = WalletCall(
            method: "POST",
            path: ["bookings"],
            query: [("dry_run", "true")],
            body: try JSONEncoder().encode(BookingIntent.Body(intent)),
            idempotencyKey: intent.idempotencyKey
        )
        return try await self.send(call, as: BookingQuote.self).0
    }

    /// Lists the user's bookings and waitlist places.
    /// - Parameters:
    ///   - status: The bookings to list; nil for all.
    ///   - cursor: The ``BookingPage/nextCursor`` of the previous page; nil for the first page.
    ///   - limit: The maximum number of bookings; nil for the wallet's default.
    /// - Returns: A page of bookings.
    /// - Throws: ``WalletProblem``.
    public func bookings(
        status: BookingFilter? = nil,
        cursor: String? = nil,
        limit: Int? = nil
    ) async throws -> BookingPage {
        let call = WalletCall(
            path: ["bookings"],
            query: [("status", status?.rawValue), ("cursor", cursor), ("limit", limit.map(String.init))]
        )
        return try await self.send(call, as: BookingPage.self).0
    }

    /// Reads one booking of the user.
    /// - Parameter id: The booking's id.
    /// - Returns: The booking in its current state.
    /// - Throws: ``WalletProblem``; `booking-not-found` also for another user's booking.
    public func booking(_ id: UUID) async throws -> Booking {
        let call = WalletCall(path: ["bookings", id.uuidString.lowercased()])
        return try await self.send(call, as: Booking.self).0
    }

    /// Cancels a booking; cancelling it again returns the same result.
    /// - Parameter id: The booking's id.
    /// - Returns: The cancelled booking with the returned amount, and the balance afterwards.
    /// - Throws: ``WalletProblem``, such as `not-cancellable`.
    public func cancel(_ id: UUID) async throws -> BookingResult {
        let call = WalletCall(method: "POST", path: ["bookings", id.uuidString.lowercased(), "cancel"])
        return try await self.send(call, as: BookingResult.self).0
    }
}
