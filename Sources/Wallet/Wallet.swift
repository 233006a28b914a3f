import Metrics
public import Postgres
import Synchronization

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
    /// The reads of users, by kind.
    let balances: UserReads<Balance>
    let bookingLists: UserReads<BookingRead>
    let ledgers: UserReads<LedgerRead>
    let passes: UserReads<PassRead>
    let subscriptions: UserReads<SubscriptionOverview>
    let testers = TesterList()
    /// The time zone in which operators read and type times.
    public let studioTimeZone: StudioTimeZone
    let writes = WriteCount()
    let metrics = WalletMetrics()

    /// Creates a wallet over a pool; the pool's `run()` must be running.
    ///
    /// - Parameters:
    ///   - pool: A pool of connections with the role `wallet_service`.
    ///   - standbys: The standbys that serve read-only requests; `nil` if the primary serves all requests.
    ///   - batching: The limits for batches of bookings and cancellations. Without them, an item waits for its batch as
    ///     long as a task of the pool waits for a connection, as reads do.
    ///   - facts: The limits for batches of the stores' facts and messages; the same applies without them.
    ///   - studioTimeZone: The time zone in which operators read and type times.
    public init(
        pool: Pool,
        standbys: Standbys? = nil,
        batching: BatchingConfiguration? = nil,
        facts: BatchingConfiguration? = nil,
        studioTimeZone: StudioTimeZone = .utc
    ) {
        let patience = pool.configuration.acquireTimeout
        let facts = facts ?? .facts(patience: patience)
        self.pool = pool
        self.studioTimeZone = studioTimeZone
        self.standbys = standbys
        self.bookings = BookingQueue(
            pool: pool,
            configuration: batching ?? BatchingConfiguration(patience: patience)
        )
        let factExecutor = BatchExecutor<FactItem>(pool: pool, configuration: facts)
        let eventExecutor = BatchExecutor<EventItem>(pool: pool, configuration: facts)
        self.facts = BatchQueue(facts, tracing: QueueTracing(pool.tracer, queue: "facts")) { items in
            await factExecutor.decide(items)
        }
        self.events = BatchQueue(facts, tracing: QueueTracing(pool.tracer, queue: "inbox")) { items in
            await eventExecutor.decide(items)
        }
        self.balances = UserReads(pool: pool)
        self.bookingLists = UserReads(pool: pool)
        self.ledgers = UserReads(pool: pool)
        self.passes = UserReads(pool: pool)
        self.subscriptions = UserReads(pool: pool)
        self.factExecutor = factExecutor
        self.eventExecutor = eventExecutor
    }

    /// The number of bookings and cancellations that wait for their batch.
    public var bookingQueueDepth: Int { self.bookings.depth }

    /// The number of calls that may have changed the books, classes or catalogue through this value.
    ///
    /// It increases after the change is committed and before the call returns, so that a copy of public data can be
    /// replaced. Changes by other instances and in psql are not counted.
    public var writeCount: Int { self.writes.value }
}

extension Wallet {
    /// Runs one statement that may write, and decodes its rows; every failure becomes a ``WalletError``.
    func query<Value>(_ query: Query, _ read: (Row) throws -> Value) async throws -> [Value] {
        ReadSession.current?.notePrimary()
        defer { self.writes.increment() }
        return try await self.ask(query, read)
    }

    /// Runs one statement that always returns a row, and decodes it.
    func queryOne<Value>(_ query: Query, _ read: (Row) throws -> Value) async throws -> Value {
        guard let first = try await self.query(query, read).first else {
            throw WalletError(status: 500, slug: "internal-error")
        }
        return first
    }

    /// Runs one statement that returns a number of rows or items in its column `count`.
    func count(_ query: Query) async throws -> Int {
        try await self.query(query) { row in Int(try row.decode("count", as: Int32.self)) }.first ?? 0
    }

    /// Runs one statement and ignores its rows.
    func execute(_ query: Query) async throws {
        _ = try await self.query(query) { _ in }
    }

    /// Runs one statement without counting it as a write or noting it in the read session.
    func ask<Value>(_ query: Query, _ read: (Row) throws -> Value) async throws -> [Value] {
        do {
            return try await self.pool.query(query).map(read)
        } catch let error as PostgresError {
            throw WalletError(error)
        }
    }

    /// Runs one read-only statement: on a standby if the request allows it and a standby is recent enough, otherwise on
    /// the primary.
    func read<Value>(_ query: Query, _ read: (Row) throws -> Value) async throws -> [Value] {
        if let rows = await self.standbys?.rows(of: query) { return try Self.decoding { try rows.map(read) } }
        ReadSession.current?.notePrimary()
        return try await self.ask(query, read)
    }

    /// Decodes rows; an error of decoding becomes a ``WalletError``.
    static func decoding<Value>(_ read: () throws -> Value) throws -> Value {
        do {
            return try read()
        } catch let error as PostgresError {
            throw WalletError(error)
        }
    }
}

/// Counts calls that may have changed something.
final class WriteCount: Sendable {
    private let count = Atomic(0)

    var value: Int { self.count.load(ordering: .acquiring) }

    func increment() { self.count.add(1, ordering: .releasing) }
}

/// Counts the decisions of this instance: debits for bookings and passes, and the results of receipts.
struct WalletMetrics: Sendable {
    /// Counts the debits in one unit.
    private struct Debits: Sendable {
        let count: Counter
        let amount: Counter

        init(_ unit: CreditUnit) {
            let labels = [("unit", unit.rawValue)]
            self.count = Counter(label: "wallet_debits_total", dimensions: labels)
            self.amount = Counter(label: "wallet_debited_units_total", dimensions: labels)
        }
    }

    private let credits = Debits(.credit)
    private let visits = Debits(.visit)
    private let granted = Counter(label: "wallet_submitted_purchases_total", dimensions: [("result", "granted")])
    private let duplicate = Counter(label: "wallet_submitted_purchases_total", dimensions: [("result", "duplicate")])
    private let skipped = Counter(label: "wallet_submitted_purchases_total", dimensions: [("result", "skipped")])

    /// Counts a payment, unless the answer is a replay.
    func noteDebit(of amount: Int64, in unit: CreditUnit?, replayed: Bool) {
        guard let unit, !replayed, amount > 0 else { return }
        let debits = unit == .credit ? self.credits : self.visits
        debits.count.increment()
        debits.amount.increment(by: amount)
    }

    /// Counts the result for a submitted purchase.
    func note(_ outcome: FactOutcome) {
        switch outcome.verdict {
        case .skipped: self.skipped.increment()
        case .granted where outcome.duplicate: self.duplicate.increment()
        case .granted: self.granted.increment()
        }
    }
}
