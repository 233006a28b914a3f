public import Foundation

extension WalletClient {
    private struct Joined: Decodable {
        let waitlist: WaitlistPlace
    }

    private struct CheckedIn: Decodable {
        let booking: Booking
    }

    private struct Wish: Encodable {
        let seats: Int
        let payWith: PaymentMethod?
        let maxAmount: Int64?

        private enum CodingKeys: String, CodingKey {
            case seats
            case payWith = "pay_with"
            case maxAmount = "max_amount"
        }
    }

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

    /// Checks the user in to the booked class; checking in again returns the same booking.
    ///
    /// The class's ``Policy/checkIn-swift.property`` determines the time, by default from an hour before the start until
    /// the end.
    /// - Parameter id: The booking's id.
    /// - Returns: The attended booking.
    /// - Throws: ``WalletProblem``, such as `check-in-not-open`, `check-in-closed`, `already-marked`.
    public func checkIn(_ id: UUID) async throws -> Booking {
        let call = WalletCall(method: "POST", path: ["bookings", id.uuidString.lowercased(), "check-in"])
        return try await self.send(call, as: CheckedIn.self).0.booking
    }

    /// Reads the policy of classes.
    /// - Parameter id: The policy's id, from ``ClassSession/policyID``.
    /// - Returns: The current terms; existing bookings keep the terms of their time.
    /// - Throws: ``WalletProblem``, such as `policy-not-found`.
    public func policy(_ id: String) async throws -> Policy {
        try await self.send(WalletCall(path: ["policies", id]), as: Policy.self).0
    }

    /// Joins the waitlist of a full class; joining again returns the same place.
    ///
    /// The wallet charges nothing until seats become free. It then books them, and ``bookings(status:cursor:limit:)``
    /// returns the booking.
    /// - Parameters:
    ///   - classID: The class's id.
    ///   - seats: The number of seats.
    ///   - payWith: The payment method; nil lets the wallet choose.
    ///   - maxAmount: The highest acceptable price for all seats; nil for no limit.
    /// - Returns: The user's place on the waitlist.
    /// - Throws: ``WalletProblem``, such as `seats-available`, `already-booked`, `already-waiting`, `waitlist-closed`.
    public func joinWaitlist(
        of classID: String,
        seats: Int = 1,
        payWith: PaymentMethod? = nil,
        maxAmount: Int64? = nil
    ) async throws -> WaitlistPlace {
        let call = WalletCall(
            method: "POST",
            path: ["classes", classID, "waitlist"],
            body: try JSONEncoder().encode(Wish(seats: seats, payWith: payWith, maxAmount: maxAmount))
        )
        return try await self.send(call, as: Joined.self).0.waitlist
    }

    /// Leaves the waitlist of a class; does nothing if the user is not on it.
    /// - Parameter classID: The class's id.
    /// - Throws: ``WalletProblem``: `already-booked` if the user has already received a seat; cancel that booking.
    public func leaveWaitlist(of classID: String) async throws {
        _ = try await self.perform(WalletCall(method: "DELETE", path: ["classes", classID, "waitlist"]))
    }
}
