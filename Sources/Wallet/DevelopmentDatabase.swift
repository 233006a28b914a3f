public import Postgres

/// What may be done to a database for development only, as its owner.
public struct DevelopmentDatabase: Sendable {
    private let wallet: Wallet

    /// Takes a database.
    ///
    /// - Parameter pool: Connections of the schema's owner or a superuser.
    public init(pool: Pool) {
        self.wallet = Wallet(pool: pool)
    }

    /// Marks the database as one for development, unless it has served real users.
    ///
    /// SQL: `functions/mark_dev.sql`.
    ///
    /// - Throws: ``WalletError`` 409 `database-is-production`.
    public func mark() async throws {
        _ = try await self.wallet.query("SELECT wallet.mark_dev() IS NULL AS marked") { _ in () }
    }

    /// Adds the catalogue and the demo classes that are missing; their dates lie in the future whenever this runs.
    ///
    /// SQL: `seed/catalog.sql`, `seed/demo.sql`.
    ///
    /// - Throws: ``PostgresError`` when a statement fails.
    public func seed() async throws {
        let seeds = Wallet.sqlFiles.filter { $0.path.hasPrefix("seed/") }
        try await self.wallet.pool.withConnection { connection in
            for seed in seeds { try await connection.execute(script: seed.contents) }
        }
    }

    /// Puts the wallet clock ahead of the real one.
    ///
    /// SQL: `functions/advance_clock.sql`.
    ///
    /// - Parameter seconds: By how many seconds in all; the same number twice changes nothing.
    /// - Throws: ``WalletError`` 403 on a database for real users.
    public func setClockOffset(seconds: Int) async throws {
        let offset = Double(seconds)
        _ = try await self.wallet.query(
            """
            SELECT wallet.advance_clock(make_interval(secs => \(offset)) - i.clock_offset)
            FROM wallet.instance_facts AS i
            """
        ) { _ in () }
    }
}
