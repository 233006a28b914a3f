import CommandOutput
import Postgres

extension ConfigurationKey {
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
        .fallback("5"),
        "Maximum seconds that a request waits for a connection."
    )
    static let databaseStatementTimeout = Self(
        "DATABASE_STATEMENT_TIMEOUT",
        .fallback("10"),
        "Maximum seconds of one statement. Its commit may take one more second before the request is answered 503."
    )
    static let databasePreparedStatements = Self(
        "DATABASE_PREPARED_STATEMENTS",
        .fallback("true"),
        "Uses prepared statements. Set it to false behind pgbouncer before 1.21 in transaction mode."
    )
}

extension Settings {
    /// Returns the configuration of the database pool.
    func database() throws(CommandError) -> PoolConfiguration {
        var pool = PoolConfiguration(url: try self.required(.databaseURL))
        if let wallet { pool.labels = ["wallet": wallet.name] }
        pool.minimumConnections = try self.integer(.databaseMinimumConnections, in: 0...1_000)
        pool.maximumConnections = try self.integer(.databaseMaximumConnections, in: 1...1_000)
        guard pool.minimumConnections <= pool.maximumConnections else {
            let names = [ConfigurationKey.databaseMinimumConnections, .databaseMaximumConnections].map(\.name)
            throw CommandError(.configuration, "\(names[0]) must not be larger than \(names[1]).")
        }
        pool.maximumWaiters = try self.integer(.databaseMaximumWaiters, in: 0...1_000_000)
        pool.acquireTimeout = .seconds(try self.integer(.databaseAcquireTimeout, in: 1...600))
        // Timeouts may abandon connections, but the server never has more than twice the maximum.
        pool.spareConnections = pool.maximumConnections
        let timeout = try self.integer(.databaseStatementTimeout, in: 1...600)
        pool.connection.statementTimeout = .seconds(timeout)
        // PostgreSQL cancels a statement that runs too long. If the deadline still passes, a commit is waiting or the
        // server is unreachable.
        pool.connection.queryTimeout = .seconds(timeout + 1)
        pool.connection.preparedStatements = try self.flag(.databasePreparedStatements)
        return pool
    }

    /// Returns the configuration of the standby pool: like the primary's, but with a short acquire timeout.
    func standbys() throws(CommandError) -> PoolConfiguration? {
        guard let url = try self.string(.databaseReadURL) else { return nil }
        var pool = try self.database()
        pool.connection.url = url
        pool.name = "standbys"
        pool.minimumConnections = 0
        pool.acquireTimeout = .milliseconds(50)
        pool.maximumBackoff = .milliseconds(50)
        return pool
    }
}

extension PoolConfiguration {
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
