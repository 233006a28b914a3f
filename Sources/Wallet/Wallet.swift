public import Postgres

/// The credit wallet: one method per operation, each of which is one call of a function or view under `sql/`.
///
/// Everything that decides about money happens in PostgreSQL. The methods throw ``WalletError`` for refusals
/// (4xx, decided) and for failures of the database (503, undecided: the same call may be repeated with the same key).
public struct Wallet: Sendable {
    let pool: Pool
    /// Who answers what decides nothing; nil where the primary answers all.
    public let standbys: Standbys?
    let bookings: BookingQueue
    /// What the stores say of purchases, on its way into the books.
    let facts: BatchQueue<FactItem, BatchDecision<FactOutcome>>
    /// The stores' messages on their way into the inbox and the books.
    let events: BatchQueue<EventItem, BatchDecision<EventOutcome>>
    let factExecutor: BatchExecutor<FactItem>
    let eventExecutor: BatchExecutor<EventItem>
    let testers = TesterList()
    let metrics = WalletMetrics()

    /// Makes a wallet over a pool; the pool's `run()` must be running.
    ///
    /// - Parameters:
    ///   - pool: Connections of the role `wallet_service`.
    ///   - standbys: Who answers what decides nothing; nil where the primary answers all.
    ///   - batching: How bookings and cancellations are decided together.
    ///   - facts: How what the stores say is taken in together.
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

    /// How many bookings and cancellations wait for their batch.
    public var bookingQueueDepth: Int { self.bookings.depth }
}
