public import Postgres

/// The credit wallet: one method per operation, each of which is one call of a function or view under `sql/`.
///
/// Everything that decides about money happens in PostgreSQL. The methods throw ``WalletError`` for refusals
/// (4xx, decided) and for failures of the database (503, undecided: the same call may be repeated with the same key).
public struct Wallet: Sendable {
    let pool: Pool
    let bookings: BookingQueue
    /// What the stores say of purchases, on its way into the books.
    let facts: GroupQueue<FactItem, GroupDecision<FactOutcome>>
    /// The stores' messages on their way into the inbox and the books.
    let events: GroupQueue<EventItem, GroupDecision<EventOutcome>>
    let eventDesk: GroupDesk<EventItem>
    let metrics = WalletMetrics()

    /// Makes a wallet over a pool; the pool's `run()` must be running.
    ///
    /// - Parameters:
    ///   - pool: Connections of the role `wallet_service`.
    ///   - grouping: How bookings and cancellations are decided together.
    ///   - facts: How what the stores say is taken in together.
    public init(
        pool: Pool,
        grouping: GroupingConfiguration = GroupingConfiguration(),
        facts: GroupingConfiguration = .facts
    ) {
        self.pool = pool
        self.bookings = BookingQueue(pool: pool, configuration: grouping)
        let factDesk = GroupDesk<FactItem>(pool: pool)
        let eventDesk = GroupDesk<EventItem>(pool: pool)
        self.facts = GroupQueue(facts) { items in await factDesk.decide(items, patience: facts.patience) }
        self.events = GroupQueue(facts) { items in await eventDesk.decide(items, patience: facts.patience) }
        self.eventDesk = eventDesk
    }

    /// How many bookings and cancellations wait for their group.
    public var bookingQueueDepth: Int { self.bookings.depth }
}
