import CommandOutput
import Postgres

extension ConfigurationKey {
    private static let pool = PoolConfiguration(url: "")

    static let databaseURL = Self(
        "DATABASE_URL",
        .required,
        isSecret: true,
        "Connection URL or connection string, passed to libpq unchanged. serve connects as wallet_service, migrate as "
            + "the owner."
    )
    static let databaseReadURL = Self(
        "DATABASE_READ_URL",
        .optional,
        isSecret: true,
        "Connection URL of standbys. They serve lists, histories and balances to clients that send Wallet-Position. "
            + "Without it, the primary serves all requests."
    )
    static let databaseMinimumConnections = Self(
        "DATABASE_MINIMUM_CONNECTIONS",
        .fallback("1"),
        "Minimum open connections to the database."
    )
    static let databaseMaximumConnections = Self(
        "DATABASE_MAXIMUM_CONNECTIONS",
        .fallback("10"),
        "Maximum connections to the database."
    )
    static let databaseOperatorConnections = Self(
        "DATABASE_OPERATOR_CONNECTIONS",
        .fallback("2"),
        "Additional connections for the console and CSV lists, so that operators' reads never use the connections of "
            + "bookings."
    )
    static let databaseMaximumWaiters = Self(
        "DATABASE_MAXIMUM_WAITERS",
        .fallback("1000"),
        "Maximum requests that wait for a connection; more are answered 503 overloaded."
    )
    static let databaseAcquireTimeout = Self(
        "DATABASE_ACQUIRE_TIMEOUT",
        .fallback(seconds: pool.acquireTimeout),
        "Maximum seconds that a request waits for a connection, or for the batch of its receipt or read to start."
    )
    static let databaseStatementTimeout = Self(
        "DATABASE_STATEMENT_TIMEOUT",
        .fallback("10"),
        "Maximum seconds of one statement. Its commit may take one more second before the request is answered 503."
    )
    static let databasePreparedStatements = Self(
        "DATABASE_PREPARED_STATEMENTS",
        .fallback(value: pool.connection.preparedStatements),
        "Uses prepared statements. Set it to false behind pgbouncer before 1.21 in transaction mode."
    )
}

extension PoolConfiguration {
    /// Reads the configuration of the primary's pool.
    ///
    /// - Configuration keys: `DATABASE_URL`, `DATABASE_MINIMUM_CONNECTIONS`, `DATABASE_MAXIMUM_CONNECTIONS`,
    ///   `DATABASE_MAXIMUM_WAITERS`, `DATABASE_ACQUIRE_TIMEOUT`, `DATABASE_STATEMENT_TIMEOUT`,
    ///   `DATABASE_PREPARED_STATEMENTS`.
    init(reader: Settings) throws(CommandError) {
        self.init(url: try reader.required(.databaseURL))
        if let wallet = reader.wallet { self.labels = ["wallet": wallet.name] }
        self.minimumConnections = try reader.integer(.databaseMinimumConnections, in: 0...1_000)
        self.maximumConnections = try reader.integer(.databaseMaximumConnections, in: 1...1_000)
        guard self.minimumConnections <= self.maximumConnections else {
            throw ConfigurationKey.databaseMinimumConnections.refused(
                "must not be larger than \(ConfigurationKey.databaseMaximumConnections.name)."
            )
        }
        self.maximumWaiters = try reader.integer(.databaseMaximumWaiters, in: 0...1_000_000)
        self.acquireTimeout = .seconds(try reader.integer(.databaseAcquireTimeout, in: 1...600))
        // Timeouts may abandon connections, but the server never has more than twice the maximum.
        self.spareConnections = self.maximumConnections
        let timeout = try reader.integer(.databaseStatementTimeout, in: 1...600)
        self.connection.statementTimeout = .seconds(timeout)
        // PostgreSQL cancels a statement that runs too long. If the deadline still passes, a commit is waiting or the
        // server is unreachable.
        self.connection.queryTimeout = .seconds(timeout + 1)
        self.connection.preparedStatements = try reader.flag(.databasePreparedStatements)
    }

    /// Reads the configuration of the standbys' pool: like the primary's, but with a short acquire timeout.
    ///
    /// - Configuration keys: `DATABASE_READ_URL` and the primary's keys.
    static func standbys(reader: Settings) throws(CommandError) -> PoolConfiguration? {
        guard let url = try reader.string(.databaseReadURL) else { return nil }
        var pool = try PoolConfiguration(reader: reader)
        pool.connection.url = url
        pool.name = "standbys"
        pool.minimumConnections = 0
        pool.acquireTimeout = .milliseconds(50)
        pool.maximumBackoff = .milliseconds(50)
        return pool
    }

    /// Returns the configuration of a single connection for ledger checks, without timeouts, because no request waits
    /// for them.
    static func books(url: String) -> PoolConfiguration {
        var configuration = PoolConfiguration(url: url)
        configuration.name = "books"
        configuration.maximumConnections = 1
        configuration.connection.queryTimeout = nil
        configuration.connection.statementTimeout = .zero
        return configuration
    }
}
