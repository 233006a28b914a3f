/// The size of a ``Pool``, and the limits for its callers.
public struct PoolConfiguration: Sendable {
    /// The pool's name in metrics.
    public var name: String = "wallet"
    /// Additional labels for the pool's metrics, regardless of the task that records them.
    public var labels: [String: String] = [:]
    /// The configuration of each connection, including the limits for its statements.
    public var connection: ConnectionConfiguration
    /// The number of connections that ``Pool/run()`` keeps open without work.
    public var minimumConnections: Int = 0
    /// The maximum number of connections that serve callers.
    public var maximumConnections: Int = 8
    /// The number of given-up connections that do not reduce ``maximumConnections``; each further one does.
    ///
    /// The server still works on the statement of a given-up connection, or waits for a standby to confirm its commit.
    /// So a server never has more connections from this pool than the sum of the two.
    public var spareConnections: Int = 8
    /// The maximum number of tasks that wait for a connection; further tasks are refused at once.
    public var maximumWaiters: Int = 1_024
    /// The maximum time that a task waits for a connection.
    public var acquireTimeout: Duration = .seconds(5)
    /// The maximum idle time of a connection beyond the minimum; ``Pool/run()`` then closes it.
    public var idleTimeout: Duration = .seconds(600)
    /// The maximum number of retries of a statement or transaction after 40001 or 40P01.
    public var maximumRetries: Int = 5
    /// The maximum pause between two attempts to connect.
    public var maximumBackoff: Duration = .seconds(2)

    /// Creates a configuration with one URL and defaults.
    ///
    /// - Parameter url: A libpq connection URL or `key=value` string.
    public init(url: String) {
        self.connection = ConnectionConfiguration(url: url)
    }
}
