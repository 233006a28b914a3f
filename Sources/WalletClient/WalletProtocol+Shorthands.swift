extension WalletProtocol {
    /// Books a class.
    ///
    /// All attempts of this call use the same idempotency key. To continue the same booking in a later call, keep a
    /// ``BookingIntent`` and use ``book(_:)``.
    /// - Parameters:
    ///   - classID: The class's id.
    ///   - seats: The number of seats.
    ///   - payWith: The payment method; nil lets the wallet choose.
    ///   - maxAmount: The highest acceptable price for all seats; nil for no limit.
    ///   - idempotencyKey: The booking's key; nil creates a new one.
    /// - Returns: The booking and the balance afterwards.
    /// - Throws: ``WalletProblem``, such as `insufficient-credits`, `class-full`, `already-booked`, `price-changed`.
    public func book(
        classID: String,
        seats: Int = 1,
        payWith: PaymentMethod? = nil,
        maxAmount: Int64? = nil,
        idempotencyKey: String? = nil
    ) async throws -> BookingResult {
        try await self.book(
            BookingIntent(
                classID: classID,
                seats: seats,
                payWith: payWith,
                maxAmount: maxAmount,
                idempotencyKey: idempotencyKey
            )
        )
    }

    /// Returns the price of a booking without booking.
    /// - Parameters:
    ///   - classID: The class's id.
    ///   - seats: The number of seats.
    ///   - payWith: The payment method; nil lets the wallet choose.
    ///   - maxAmount: The highest acceptable price for all seats; nil for no limit.
    /// - Returns: The price, the lots that would pay and the balance afterwards.
    /// - Throws: The ``WalletProblem`` that the booking would throw.
    public func quote(
        classID: String,
        seats: Int = 1,
        payWith: PaymentMethod? = nil,
        maxAmount: Int64? = nil
    ) async throws -> BookingQuote {
        try await self.quote(
            BookingIntent(classID: classID, seats: seats, payWith: payWith, maxAmount: maxAmount)
        )
    }

    /// Joins the waitlist of a full class for one seat; the wallet chooses the payment method.
    /// - Parameter classID: The class's id.
    /// - Returns: The user's place on the waitlist.
    /// - Throws: ``WalletProblem``, such as `seats-available`, `already-booked`, `waitlist-closed`.
    public func joinWaitlist(of classID: String) async throws -> WaitlistPlace {
        try await self.joinWaitlist(of: classID, seats: 1, payWith: nil, maxAmount: nil)
    }

    /// Reads the first page of the classes.
    /// - Returns: The classes.
    /// - Throws: ``WalletProblem``.
    public func classes() async throws -> Page<ClassSession> {
        try await self.classes(cursor: nil, limit: nil)
    }

    /// Reads the first page of the user's bookings.
    /// - Parameter status: The bookings to list; nil for all.
    /// - Returns: The bookings and the user's waitlist places.
    /// - Throws: ``WalletProblem``.
    public func bookings(status: BookingFilter? = nil) async throws -> BookingPage {
        try await self.bookings(status: status, cursor: nil, limit: nil)
    }

    /// Reads the newest entries of the ledger.
    /// - Returns: The entries.
    /// - Throws: ``WalletProblem``.
    public func transactions() async throws -> Page<LedgerEntry> {
        try await self.transactions(cursor: nil, limit: nil)
    }

    /// Reads the first page of the user's purchases.
    /// - Returns: The purchases.
    /// - Throws: ``WalletProblem``.
    public func purchases() async throws -> Page<Purchase> {
        try await self.purchases(cursor: nil, limit: nil)
    }

    /// Reads the first page of the user's passes.
    /// - Returns: The passes.
    /// - Throws: ``WalletProblem``.
    public func passes() async throws -> Page<Pass> {
        try await self.passes(cursor: nil, limit: nil)
    }
}
