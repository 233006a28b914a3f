public import Foundation

extension WalletClient {
    /// Books a class, at most once however often the same intent is sent.
    /// - Parameter intent: what to book, with its key.
    /// - Returns: the booking and the present balance; ``BookingResult/isReplayed`` where it had been made before.
    /// - Throws: ``WalletProblem`` as for a new booking; `idempotency-key-reused` for a key of another booking.
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

    /// Asks what a booking would cost, and changes nothing.
    /// - Parameter intent: what to book.
    /// - Returns: what the booking would do.
    /// - Throws: ``WalletProblem``, the refusal that the booking would get.
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

    /// Lists the user's bookings, and what the user waits for.
    /// - Parameters:
    ///   - status: which ones; nil for all.
    ///   - cursor: where to go on; nil for the first page.
    ///   - limit: how many at most.
    /// - Returns: a page of bookings.
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
    /// - Parameter id: the booking's id.
    /// - Returns: the booking in its present state.
    /// - Throws: ``WalletProblem``; `booking-not-found` also for another user's.
    public func booking(_ id: UUID) async throws -> Booking {
        let call = WalletCall(path: ["bookings", id.uuidString.lowercased()])
        return try await self.send(call, as: Booking.self).0
    }

    /// Cancels a booking; cancelling it again answers the same.
    /// - Parameter id: the booking's id.
    /// - Returns: the cancelled booking with what came back, and the balance after it.
    /// - Throws: ``WalletProblem``, such as `not-cancellable`.
    public func cancel(_ id: UUID) async throws -> BookingResult {
        let call = WalletCall(method: "POST", path: ["bookings", id.uuidString.lowercased(), "cancel"])
        return try await self.send(call, as: BookingResult.self).0
    }
}
