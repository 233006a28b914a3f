import Postgres

/// Sends batches of bookings and cancellations to the database.
struct BookingExecutor: Sendable {
    let pool: Pool

    /// Decides a batch in one call; if the call fails, decides each item alone under the same key.
    ///
    /// - Parameters:
    ///   - items: The batch, in order of arrival.
    ///   - waits: A Boolean value that indicates whether to wait for wallets and seats that another transaction holds.
    /// - Returns: The outcome of each item, in order; after a failure, nothing was decided.
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

    /// Decides items that were busy before, and waits for the locks; an item whose lock is held for too long is busy
    /// again.
    func decideWaiting(_ items: [BookingItem]) async -> [Result<BookingOutcome, WalletError>] {
        do {
            return try await self.send(items, waits: true).map { .success($0) }
        } catch {
            // The error does not name the wallet that was locked for too long, so this decides the others without
            // waiting.
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
                // The next item would fail too, and the items that wait behind the batch need their answers in time.
                if !Self.mayBeOneItems(error) || error.code == .unavailable { outage = WalletError(error) }
            }
        }
        return results
    }

    /// Returns whether one item of the batch, or a connection lost during the call, may have caused a failure.
    private static func mayBeOneItems(_ error: PostgresError) -> Bool {
        switch error.code {
        case .overloaded, .cancelled: false
        // If a batch was given up, its items would only wait for the locks that it still holds.
        case .unavailable: !error.isUnsent && !error.isGivenUp
        default: true
        }
    }

    private func send(_ items: [BookingItem], waits: Bool) async throws(PostgresError) -> [BookingOutcome] {
        let rows = try await self.pool.query(BookingItem.batch(items, waits: waits))
        var outcomes: [BookingOutcome] = []
        for row in rows { outcomes.append(try BookingOutcome(row: row)) }
        // Outcomes arrive in any order, but each item has one.
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
