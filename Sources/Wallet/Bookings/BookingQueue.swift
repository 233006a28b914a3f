import Foundation
import Postgres

/// Decides bookings and cancellations in batches.
///
/// An item whose wallet or seats another transaction holds is skipped. A second connection decides it and waits for the
/// locks. So a transaction left open in psql blocks only the bookings of the wallets that it holds.
struct BookingQueue: Sendable {
    private enum Decision: Sendable {
        case decided(BookingOutcome)
        case busy
    }

    private let batches: BatchQueue<BookingItem, Decision>
    private let patient: BatchQueue<BookingItem, BookingOutcome>

    init(pool: Pool, configuration: BatchingConfiguration) {
        let desk = BookingExecutor(pool: pool)
        self.batches = BatchQueue(
            configuration,
            metrics: QueueMetrics(),
            tracing: QueueTracing(pool.tracer, queue: "bookings"),
            stay: { turn in await pool.withPinnedConnection(turn) },
            decide: { items in
                await desk.decide(items, waits: false).map { result in
                    result.map { $0.isBusy ? .busy : .decided($0) }
                }
            }
        )
        var patience = configuration
        patience.workers = 1
        let tracing = QueueTracing(pool.tracer, queue: "waiting bookings")
        self.patient = BatchQueue(patience, tracing: tracing) { items in await desk.decideWaiting(items) }
    }

    /// Waits in the queue and for the decision.
    ///
    /// - Parameter item: The item to decide.
    /// - Returns: The decision, which may be a refusal.
    /// - Throws: ``WalletError`` 503 `overloaded`, `wallet-busy`, `database-unavailable`.
    func decide(_ item: BookingItem) async throws(WalletError) -> BookingOutcome {
        let outcome = try await self.decideOnce(item)
        guard outcome.isUnauthenticated, item.account != nil else { return outcome }
        // The cached account no longer belongs to the caller. The database finds out whether the token has another
        // account.
        item.caller.account?.remember(nil)
        return try await self.decideOnce(item.withoutAccount)
    }

    private func decideOnce(_ item: BookingItem) async throws(WalletError) -> BookingOutcome {
        switch try await self.batches.submit(item) {
        case .decided(let outcome): outcome
        case .busy: try await self.patient.submit(item)
        }
    }

    /// Keeps batches from starting, so that arriving items form one batch.
    func hold() { self.batches.hold() }

    /// Lets batches start again.
    func release() { self.batches.release() }

    /// The number of items that wait for a batch.
    var depth: Int { self.batches.depth }
}
