/// How to reach a server, and how long to wait for it.
public struct ConnectionConfiguration: Sendable {
    /// A libpq connection URL or `key=value` string, handed to libpq as it is: several hosts, TLS files, `PG*`
    /// variables, service and password files work as libpq documents them.
    public var url: String
    /// How long to wait for each host, unless the URL has its own `connect_timeout`; libpq counts whole seconds and
    /// waits two at least.
    public var connectTimeout: Duration = .seconds(5)
    /// How long a caller waits for a statement; `nil` waits for ever.
    ///
    /// At the deadline the caller gets an error and the connection is given up, but the statement is not cancelled: the
    /// server may be committing, and a cancel would make a commit visible that no standby has confirmed. It should be
    /// longer than the server's own limit, ``statementTimeout``, which ends a statement and never a commit.
    public var queryTimeout: Duration? = .seconds(30)
    /// The server's `statement_timeout` for the session; `nil` leaves the role's setting.
    ///
    /// Ignored without prepared statements: a session setting would leak to other clients of a transaction pooler.
    public var statementTimeout: Duration?
    /// Whether statements are prepared once for each connection; off for pgbouncer in transaction mode.
    public var preparedStatements: Bool = true
    /// How many statements a connection keeps prepared; the one unused for longest goes first.
    public var maximumPreparedStatements: Int = 256
    /// What the server shows as `application_name` unless the URL says otherwise.
    public var applicationName: String = "credit-wallet"

    /// Creates a configuration.
    ///
    /// - Parameter url: A libpq connection URL or `key=value` string.
    public init(url: String) {
        self.url = url
    }
}
