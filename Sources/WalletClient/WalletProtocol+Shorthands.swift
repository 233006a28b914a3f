extension WalletProtocol {
    /// Books a class.
    ///
    /// All attempts of this call carry one key. To go on with the same booking in a later call, keep a
    /// ``BookingIntent`` and use ``book(_:)``.
    /// - Parameters:
    ///   - classID: the class.
    ///   - seats: how many seats.
    ///   - payWith: what to pay with; nil lets the wallet choose.
    ///   - maxAmount: the most that it may cost.
    ///   - idempotencyKey: the booking's key; a new one when none is given.
    /// - Returns: the booking and the balance after it.
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

    /// Asks what a booking would cost, and changes nothing.
    /// - Parameters:
    ///   - classID: the class.
    ///   - seats: how many seats.
    ///   - payWith: what to pay with; nil lets the wallet choose.
    ///   - maxAmount: the most that it may cost.
    /// - Returns: what the booking would do.
    /// - Throws: ``WalletProblem``, the refusal that the booking would get.
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

    /// Waits for one seat of a full class, paid with what the wallet chooses.
    /// - Parameter classID: the class.
    /// - Returns: the place.
    /// - Throws: ``WalletProblem``, such as `seats-available`, `already-booked`, `waitlist-closed`.
    public func joinWaitlist(of classID: String) async throws -> WaitlistPlace {
        try await self.joinWaitlist(of: classID, seats: 1, payWith: nil, maxAmount: nil)
    }

    /// Reads the first page of the classes.
    /// - Returns: the classes.
    /// - Throws: ``WalletProblem``.
    public func classes() async throws -> Page<ClassSession> {
        try await self.classes(cursor: nil, limit: nil)
    }

    /// Reads the first page of the user's bookings.
    /// - Parameter status: which ones; nil for all.
    /// - Returns: the bookings, and what the user waits for.
    /// - Throws: ``WalletProblem``.
    public func bookings(status: BookingFilter? = nil) async throws -> BookingPage {
        try await self.bookings(status: status, cursor: nil, limit: nil)
    }

    /// Reads the newest entries of the ledger.
    /// - Returns: the entries.
    /// - Throws: ``WalletProblem``.
    public func transactions() async throws -> Page<LedgerEntry> {
        try await self.transactions(cursor: nil, limit: nil)
    }

    /// Reads the first page of the user's purchases.
    /// - Returns: the purchases.
    /// - Throws: ``WalletProblem``.
    public func purchases() async throws -> Page<Purchase> {
        try await self.purchases(cursor: nil, limit: nil)
    }

    /// Reads the first page of the user's passes.
    /// - Returns: the passes.
    /// - Throws: ``WalletProblem``.
    public func passes() async throws -> Page<Pass> {
        try await self.passes(cursor: nil, limit: nil)
    }
}
