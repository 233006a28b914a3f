/// How many connections a ``Pool`` keeps, and how long its callers wait.
public struct PoolConfiguration: Sendable {
    /// What metrics call the pool.
    public var name: String = "wallet"
    /// What its metrics are labelled with beside that, whatever task makes them.
    public var labels: [String: String] = [:]
    /// How each connection is opened and what limits its statements.
    public var connection: ConnectionConfiguration
    /// How many connections ``Pool/run()`` keeps open when there is nothing to do.
    public var minimumConnections: Int = 0
    /// The greatest number of connections that serve callers.
    public var maximumConnections: Int = 8
    /// The number of given-up connections that cost none of ``maximumConnections``; each one more does.
    ///
    /// The server still works on the statement of a given-up connection, or waits for a standby to confirm its commit.
    /// So a server never has more than the sum of the two from this pool.
    public var spareConnections: Int = 8
    /// How many tasks may wait for a connection; one more is refused at once.
    public var maximumWaiters: Int = 1_024
    /// How long a task waits for a connection.
    public var acquireTimeout: Duration = .seconds(5)
    /// How long a connection beyond the minimum may lie idle before ``Pool/run()`` closes it.
    public var idleTimeout: Duration = .seconds(600)
    /// How often a statement or transaction is tried again after 40001 or 40P01.
    public var maximumRetries: Int = 5
    /// The longest pause between two attempts to connect.
    public var maximumBackoff: Duration = .seconds(2)

    /// Creates a configuration with one URL and defaults.
    ///
    /// - Parameter url: A libpq connection URL or `key=value` string.
    public init(url: String) {
        self.connection = ConnectionConfiguration(url: url)
    }
}
