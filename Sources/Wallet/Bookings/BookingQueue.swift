import Foundation
import Postgres

/// Decides bookings and cancellations in the batches that they wait in.
///
/// What somebody else holds is passed over and finished on a second connection, which waits: one transaction left open
/// in psql stops the bookings of the wallets that it holds, and no others.
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
    /// - Parameter item: What is to be decided.
    /// - Returns: What was decided, a refusal too.
    /// - Throws: ``WalletError`` 503 `overloaded`, `wallet-busy`, `database-unavailable`.
    func decide(_ item: BookingItem) async throws(WalletError) -> BookingOutcome {
        let outcome = try await self.decideOnce(item)
        guard outcome.isUnauthenticated, item.account != nil else { return outcome }
        // The account that is remembered is the caller's no more; whether the token has another, the database says.
        item.caller.account?.remember(nil)
        return try await self.decideOnce(item.withoutAccount)
    }

    private func decideOnce(_ item: BookingItem) async throws(WalletError) -> BookingOutcome {
        switch try await self.batches.submit(item) {
        case .decided(let outcome): outcome
        case .busy: try await self.patient.submit(item)
        }
    }

    /// Keeps batches from starting, so that what arrives forms one.
    func hold() { self.batches.hold() }

    /// Lets batches start again.
    func release() { self.batches.release() }

    /// How many items wait for a batch.
    var depth: Int { self.batches.depth }
}
