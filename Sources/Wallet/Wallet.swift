public import Postgres

/// The credit wallet; each method is one operation, and calls one function or view under `sql/`.
///
/// PostgreSQL makes all decisions about money. The methods throw ``WalletError`` for refusals (4xx, decided) and for
/// failures of the database (503, undecided; the same call may be repeated with the same key).
public struct Wallet: Sendable {
    let pool: Pool
    /// The standbys that serve read-only requests; `nil` if the primary serves all requests.
    public let standbys: Standbys?
    let bookings: BookingQueue
    /// The queue of the stores' facts about purchases.
    let facts: BatchQueue<FactItem, BatchDecision<FactOutcome>>
    /// The queue of the stores' messages for the inbox.
    let events: BatchQueue<EventItem, BatchDecision<EventOutcome>>
    let factExecutor: BatchExecutor<FactItem>
    let eventExecutor: BatchExecutor<EventItem>
    let testers = TesterList()
    let metrics = WalletMetrics()

    /// Creates a wallet over a pool; the pool's `run()` must be running.
    ///
    /// - Parameters:
    ///   - pool: A pool of connections with the role `wallet_service`.
    ///   - standbys: The standbys that serve read-only requests; `nil` if the primary serves all requests.
    ///   - batching: The limits for batches of bookings and cancellations.
    ///   - facts: The limits for batches of the stores' facts and messages.
    public init(
        pool: Pool,
        standbys: Standbys? = nil,
        batching: BatchingConfiguration = BatchingConfiguration(),
        facts: BatchingConfiguration = .facts
    ) {
        self.pool = pool
        self.standbys = standbys
        self.bookings = BookingQueue(pool: pool, configuration: batching)
        let factExecutor = BatchExecutor<FactItem>(pool: pool, configuration: facts)
        let eventExecutor = BatchExecutor<EventItem>(pool: pool, configuration: facts)
        self.facts = BatchQueue(facts, tracing: QueueTracing(pool.tracer, queue: "facts")) { items in
            await factExecutor.decide(items)
        }
        self.events = BatchQueue(facts, tracing: QueueTracing(pool.tracer, queue: "inbox")) { items in
            await eventExecutor.decide(items)
        }
        self.factExecutor = factExecutor
        self.eventExecutor = eventExecutor
    }

    /// The number of bookings and cancellations that wait for their batch.
    public var bookingQueueDepth: Int { self.bookings.depth }
}
