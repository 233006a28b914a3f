import Postgres

/// Sends batches of bookings and cancellations to the database.
struct BookingExecutor: Sendable {
    let pool: Pool

    /// Decides a batch by one call; if that fails as a whole, item by item under the same keys.
    ///
    /// - Parameters:
    ///   - items: The batch, in order of arrival.
    ///   - waits: Whether to wait for wallets and seats that somebody else holds.
    /// - Returns: What was decided of each, in order; a failure decided nothing.
    func decide(_ items: [BookingItem], waits: Bool) async -> [Result<BookingOutcome, WalletError>] {
        do {
            return try await self.send(items, waits: waits).map { .success($0) }
        } catch {
            guard items.count > 1, Self.mayBeOneItems(error) else {
                return items.map { _ in .failure(WalletError(error)) }
            }
            return await self.decideSingly(items, waits: waits)
        }
    }

    /// Decides what was busy before, waiting for anyone who holds it; what is held for longer is answered as busy.
    func decideWaiting(_ items: [BookingItem]) async -> [Result<BookingOutcome, WalletError>] {
        do {
            return try await self.send(items, waits: true).map { .success($0) }
        } catch {
            // It is not known which wallet was locked for too long, so the others are decided without waiting.
            return await self.decide(items, waits: error.code != .lockTimeout)
        }
    }

    private func decideSingly(_ items: [BookingItem], waits: Bool) async -> [Result<BookingOutcome, WalletError>] {
        var results: [Result<BookingOutcome, WalletError>] = []
        var outage: WalletError?
        for item in items {
            if let outage {
                results.append(.failure(outage))
                continue
            }
            do {
                results += try await self.send([item], waits: waits).map { .success($0) }
            } catch {
                results.append(.failure(WalletError(error)))
                // The next would fare no better, and those who wait behind the batch are to be answered in time.
                if !Self.mayBeOneItems(error) || error.code == .unavailable { outage = WalletError(error) }
            }
        }
        return results
    }

    /// Whether a failure may come of one item of the batch, or of a connection that was lost under it.
    private static func mayBeOneItems(_ error: PostgresError) -> Bool {
        switch error.code {
        case .overloaded, .cancelled: false
        // Sent again, the items of a batch that is given up would only wait for the locks that it holds.
        case .unavailable: !error.isUnsent && !error.isGivenUp
        default: true
        }
    }

    private func send(_ items: [BookingItem], waits: Bool) async throws(PostgresError) -> [BookingOutcome] {
        let rows = try await self.pool.query(BookingItem.batch(items, waits: waits))
        var outcomes: [BookingOutcome] = []
        for row in rows { outcomes.append(try BookingOutcome(row: row)) }
        // They come in no order, but each item has one.
        outcomes.sort { $0.place < $1.place }
        guard outcomes.map(\.place) == Array(items.indices) else {
            throw PostgresError(.decoding, "a batch was not answered item by item")
        }
        for (item, outcome) in zip(items, outcomes) where item.account == nil {
            if let account = try outcome.account() { item.caller.account?.remember(account) }
        }
        return outcomes
    }
}
