import Postgres

/// Figures of all wallets together, for metrics; each reads whole tables, so nobody asks for them in a request.
extension Wallet {
    /// Sums up all lots.
    ///
    /// SQL: `views/instance/metrics.sql`.
    ///
    /// - Returns: A sum for each environment, unit and source that there is.
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

    /// Returns which PostgreSQL answers, such as `17.2`.
    ///
    /// - Returns: The version without what a distribution adds to it; nil where the server says nothing.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func databaseVersion() async throws -> String? {
        let versions = try await self.query("SELECT current_setting('server_version') AS version") { row in
            try row.decode("version", as: String.self)
        }
        return versions.first?.split(separator: " ").first.map(String.init)
    }

    /// Returns what waits to be delivered to the events' endpoint.
    ///
    /// SQL: `views/instance/metrics.sql`.
    ///
    /// - Returns: How many seconds the oldest event has waited, how many are in line and how many were given up.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func outboxBacklog() async throws -> (age: Double, pending: Int64, dead: Int64) {
        let found = try await self.query(
            "SELECT b.age, b.pending_count, b.dead_count FROM wallet.outbox_backlog AS b"
        ) { row in try row.decode((Double, Int64, Int64).self) }
        guard let backlog = found.first else { throw WalletError(status: 500, slug: "internal-error") }
        return (backlog.0, backlog.1, backlog.2)
    }

    /// Returns how many messages of the stores wait.
    ///
    /// SQL: `views/instance/metrics.sql`.
    ///
    /// - Returns: A number for each store and state, also where it is 0.
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

    /// Looks at every wallet and class that was written since this was last asked, by anyone whom, and counts what is
    /// broken in them or was found broken before and is not mended; every number of an intact database is 0.
    ///
    /// Looks at some wallets at a time, each in a transaction of its own, and rests between: after a busy hour there are
    /// many, and bookings are to have the processors. What was written behind the back of a wallet that does not change
    /// finds ``violations(byAccounts:progress:)``.
    ///
    /// SQL: `functions/instance/note_changes.sql`, `functions/instance/check_changed_accounts.sql`,
    /// `views/invariants/invariants.sql`.
    ///
    /// - Returns: The numbers by the invariants' names.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func invariantCounts() async throws -> [(name: String, violations: Int64)] {
        _ = try await self.query("SELECT wallet.note_changes() AS waiting") { _ in }
        while true {
            let began = ContinuousClock.now
            guard try await self.lookAtSome() > 0 else { break }
            try await Task.sleep(for: (ContinuousClock.now - began) * 3)
        }
        return try await self.query("SELECT c.name, c.violations FROM wallet.finding_counts AS c") { row in
            (name: try row.decode("name"), violations: try row.decode("violations"))
        }
    }

    private func lookAtSome() async throws -> Int32 {
        let looked = try await self.query("SELECT wallet.check_changed_accounts(100) AS looked") { row in
            try row.decode("looked", as: Int32.self)
        }
        return looked.first ?? 0
    }
}

/// What all lots of one kind hold and held.
public struct LotTotal: Sendable, Equatable {
    /// Which wallets.
    public var environment: WalletEnvironment
    /// What they hold.
    public var unit: CreditUnit
    /// Where they came from: `pack`, `pass`, `plan`, `rollover`, `promo`, `adjustment` or `import`.
    public var source: String
    /// How many there are.
    public var lots: Int64
    /// What they were granted, at most 2^53: a counter's whole numbers end there.
    public var granted: Int64
    /// What was spent of it.
    public var spent: Double
    /// What can still be spent.
    public var outstanding: Double
    /// What was refunded although it was spent, and is not repaid.
    public var owed: Double
}

/// How many messages of one store wait in one state.
public struct InboxBacklog: Sendable, Equatable {
    /// Who sent them.
    public var source: String
    /// `new`, `failed` (both are tried again), `parked` or `quarantined`.
    public var status: String
    /// How many they are.
    public var messages: Int64
    /// For how many seconds the oldest has waited.
    public var age: Double
}
