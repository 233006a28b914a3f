public import Postgres

/// Operations on a development database, as its owner.
public struct DevelopmentDatabase: Sendable {
    private let wallet: Wallet

    /// Creates the operations for a database.
    ///
    /// - Parameter pool: A pool of connections with the role of the schema's owner or a superuser.
    public init(pool: Pool) {
        self.wallet = Wallet(pool: pool)
    }

    /// Marks the database as a development database, unless it has served real users.
    ///
    /// - Throws: ``WalletError`` 409 `database-is-production`.
    public func mark() async throws {
        try await self.wallet.execute("SELECT wallet.mark_dev() IS NULL AS marked")
    }

    /// Adds the missing products of the catalogue and the missing demo classes; the classes always lie in the future.
    ///
    /// - Throws: ``PostgresError`` when a statement fails.
    public func seed() async throws {
        try await self.execute { $0.hasPrefix("seed/") }
    }

    /// Adds demo classes after the clock of the database was moved; each class that has begun is scheduled again.
    ///
    /// - Throws: ``PostgresError`` when the statement fails.
    public func seedClasses() async throws {
        try await self.execute { $0 == "seed/demo.sql" }
    }

    private func execute(_ isWanted: (String) -> Bool) async throws {
        let seeds = Wallet.sqlFiles.filter { isWanted($0.path) }
        try await self.wallet.pool.withConnection { connection in
            for seed in seeds { try await connection.execute(script: seed.contents) }
        }
    }

    /// Sets how far the wallet clock is ahead of the real clock.
    ///
    /// SQL: `functions/instance/clock.sql`.
    ///
    /// - Parameter seconds: The total offset in seconds; setting the same offset again changes nothing.
    /// - Throws: ``WalletError`` 403 on a production database.
    public func setClockOffset(seconds: Int) async throws {
        let offset = Double(seconds)
        try await self.wallet.execute(
            """
            SELECT wallet.advance_clock(make_interval(secs => \(offset)) - i.clock_offset)
            FROM wallet.instance_facts AS i
            """
        )
    }

    /// Lists the newest messages of the stores and the newest events, 50 of each, newest first.
    ///
    /// - Returns: A JSON object with `inbox` and `events`, rows of `admin.webhook_inbox` and `admin.outbox`.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func newestActivity() async throws -> String {
        try await self.json(
            """
            SELECT jsonb_build_object(
                'inbox', (SELECT coalesce(jsonb_agg(to_jsonb(i) ORDER BY i.inbox_id DESC), '[]') FROM (
                    SELECT
                        w.inbox_id, w.source, w.source_event_id, w.type, w.status, w.reason, w.attempts,
                        w.received_at, w.processed_at
                    FROM admin.webhook_inbox AS w ORDER BY w.inbox_id DESC LIMIT 50
                ) AS i),
                'events', (SELECT coalesce(jsonb_agg(to_jsonb(e) ORDER BY e.event_id DESC), '[]') FROM (
                    SELECT o.event_id, o.type, o.user_id, o.environment, o.at, o.details, o.status
                    FROM admin.outbox AS o ORDER BY o.event_id DESC LIMIT 50
                ) AS e)
            )::text AS answer
            """
        )
    }

    /// Checks every invariant.
    ///
    /// SQL: `views/invariants/invariants.sql`.
    ///
    /// - Returns: A JSON object with `invariants`, rows of `admin.invariants` by name.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func invariants() async throws -> String {
        try await self.json(
            """
            SELECT jsonb_build_object(
                'invariants', coalesce(jsonb_agg(to_jsonb(i) ORDER BY i.name), '[]')
            )::text AS answer
            FROM admin.invariants AS i
            """
        )
    }

    private func json(_ query: Query) async throws -> String {
        try await self.wallet.queryOne(query) { row in try row.decode("answer", as: String.self) }
    }

    /// Creates users with credits for a load test; repeating the call with the same prefix leaves these users
    /// unchanged.
    ///
    /// SQL: `functions/accounts/account_for.sql`, `functions/operations/adjust.sql`.
    ///
    /// - Parameters:
    ///   - prefix: The prefix of the user ids; each user's number, from 1, follows it.
    ///   - count: The number of users.
    ///   - credits: The number of credits for each user, 1 or more.
    /// - Throws: ``WalletError`` 409 `database-is-production`.
    public func addUsers(_ prefix: String, count: Int, credits: Int64) async throws {
        try await self.requireDevelopment()
        for first in stride(from: 1, through: count, by: Self.portion) {
            try await self.wallet.execute(
                """
                SELECT count(wallet.adjust(
                    wallet.account_for(\(prefix) || n), 'production', 'credit', \(credits), \(prefix) || n,
                    'load test', 'credits for a load test'
                )) AS users
                FROM generate_series(\(first), \(min(first + Self.portion - 1, count))) AS n
                """
            )
        }
    }

    /// Creates classes for a load test that begin in thirty days and cost one credit for each seat.
    ///
    /// SQL: `functions/classes/put_class.sql`.
    ///
    /// - Parameters:
    ///   - prefix: The prefix of the class ids; each class's number, from 1, follows it.
    ///   - count: The number of classes.
    ///   - capacity: The number of seats in each class, 0 to 100,000.
    /// - Throws: ``WalletError`` 409 `database-is-production`.
    public func addClasses(_ prefix: String, count: Int, capacity: Int) async throws {
        try await self.requireDevelopment()
        for first in stride(from: 1, through: count, by: Self.portion) {
            try await self.wallet.execute(
                """
                SELECT count(wallet.add_class(
                    \(prefix) || n, 'Load test', wallet.now() + INTERVAL '30 days', wallet.now() + INTERVAL '31 days',
                    \(Int32(clamping: capacity)), 1, NULL, 60
                )::TEXT) AS classes
                FROM generate_series(\(first), \(min(first + Self.portion - 1, count))) AS n
                """
            )
        }
    }

    /// The number of users or classes to create in one transaction, so that each transaction is short.
    private static let portion = 500

    private func requireDevelopment() async throws {
        guard try await self.wallet.instanceKind() == .dev else {
            throw WalletError(status: 409, slug: "database-is-production")
        }
    }
}
