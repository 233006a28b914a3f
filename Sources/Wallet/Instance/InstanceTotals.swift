import Postgres

/// Totals over all wallets, for metrics; each reads whole tables, so requests must not use them.
extension Wallet {
    /// Returns the totals of all lots.
    ///
    /// SQL: `views/instance/metrics.sql`.
    ///
    /// - Returns: The totals for each existing environment, unit and source.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func lotTotals() async throws -> [LotTotal] {
        try await self.query(
            """
            SELECT t.environment::text AS environment, t.unit::text AS unit, t.source, t.lots, t.granted, t.spent,
                t.outstanding, t.owed
            FROM wallet.lot_totals AS t
            """
        ) { row in
            LotTotal(
                environment: try row.decodeEnvironment("environment"),
                unit: try row.decodeUnit("unit"),
                source: try row.decode("source"),
                lots: try row.decode("lots"),
                granted: try row.decode("granted"),
                spent: try row.decode("spent"),
                outstanding: try row.decode("outstanding"),
                owed: try row.decode("owed")
            )
        }
    }

    /// Returns the backlog of the deliveries to the events' endpoint.
    ///
    /// SQL: `views/instance/metrics.sql`.
    ///
    /// - Returns: The age of the oldest waiting event in seconds, the number of waiting events, and the number of
    ///   events given up.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func outboxBacklog() async throws -> (age: Double, pending: Int64, dead: Int64) {
        let backlog = try await self.queryOne(
            "SELECT b.age, b.pending_count, b.dead_count FROM wallet.outbox_backlog AS b"
        ) { row in try row.decode((Double, Int64, Int64).self) }
        return (backlog.0, backlog.1, backlog.2)
    }

    /// Returns the number of the stores' messages that wait.
    ///
    /// SQL: `views/instance/metrics.sql`.
    ///
    /// - Returns: The number for each store and state, including zeros.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func inboxBacklog() async throws -> [InboxBacklog] {
        try await self.query("SELECT b.source, b.status, b.messages, b.age FROM wallet.inbox_backlog AS b") { row in
            InboxBacklog(
                source: try row.decode("source"),
                status: try row.decode("status"),
                messages: try row.decode("messages"),
                age: try row.decode("age")
            )
        }
    }
}

/// The totals of all lots of one kind.
public struct LotTotal: Sendable, Equatable {
    /// The environment of the wallets.
    public var environment: WalletEnvironment
    /// The unit of the lots.
    public var unit: CreditUnit
    /// The source of the lots: `pack`, `pass`, `plan`, `rollover`, `promo`, `adjustment` or `import`.
    public var source: String
    /// The number of lots.
    public var lots: Int64
    /// The granted amount, at most 2^53, because larger whole numbers are not exact in a counter.
    public var granted: Int64
    /// The spent amount.
    public var spent: Double
    /// The amount that can still be spent.
    public var outstanding: Double
    /// The amount that was refunded after it had been spent, and that is not repaid.
    public var owed: Double
}

/// The number of messages of one store that wait in one state.
public struct InboxBacklog: Sendable, Equatable {
    /// The sender of the messages.
    public var source: String
    /// `new`, `failed` (both are tried again), `awaiting_user` or `quarantined`.
    public var status: String
    /// The number of messages.
    public var messages: Int64
    /// The age of the oldest message in seconds.
    public var age: Double
}
