/// The address of a server, and the limits for connections to it.
public struct ConnectionConfiguration: Sendable {
    /// A libpq connection URL or `key=value` string, passed to libpq unchanged.
    ///
    /// Several hosts, TLS files, `PG*` variables, service files and password files work as libpq documents them.
    public var url: String
    /// The time to wait for each host, unless the URL sets `connect_timeout`; libpq counts whole seconds and waits at
    /// least two.
    public var connectTimeout: Duration = .seconds(5)
    /// The time that a caller waits for a statement; `nil` means no limit.
    ///
    /// At the deadline, the caller gets an error and the connection is given up, but the statement is not cancelled.
    /// The server may be committing, and a cancel would make a commit visible that no standby has confirmed. The value
    /// should be greater than the server's own limit, ``statementTimeout``, which ends a statement and never a commit.
    public var queryTimeout: Duration? = .seconds(30)
    /// The server's `statement_timeout` for the session; `nil` keeps the role's setting.
    ///
    /// Ignored without prepared statements: a session setting would affect other clients of a transaction pooler.
    public var statementTimeout: Duration?
    /// A Boolean value that indicates whether each connection prepares its statements; turn it off for PgBouncer in
    /// transaction mode.
    public var preparedStatements: Bool = true
    /// The maximum number of prepared statements of a connection; the least recently used one is dropped first.
    public var maximumPreparedStatements: Int = 256
    /// The session's `application_name` on the server, unless the URL sets one.
    public var applicationName: String = "credit-wallet"

    /// Creates a configuration.
    ///
    /// - Parameter url: A libpq connection URL or `key=value` string.
    public init(url: String) {
        self.url = url
    }
}
