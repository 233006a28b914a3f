import CLibpq
import Foundation

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

/// The libpq parameters of a connection: the URL's parameters, and defaults for the others.
///
/// The defaults for keepalives and timeouts let the kernel detect a peer that has vanished.
struct ConnectionParameters {
    private(set) var values: [(keyword: String, value: String)]

    /// Parses the URL.
    ///
    /// - Throws: ``PostgresError`` with code `unavailable` if libpq cannot parse the URL; the message contains no
    ///   password.
    init(_ configuration: ConnectionConfiguration) throws(PostgresError) {
        self.values = try Self.parse(configuration.url)
        let connectSeconds = max(2, (configuration.connectTimeout.milliseconds + 999) / 1_000)
        self.setDefault("connect_timeout", String(connectSeconds))
        self.setDefault("keepalives_idle", "10")
        self.setDefault("keepalives_interval", "5")
        self.setDefault("keepalives_count", "3")
        self.setDefault("tcp_user_timeout", "15000")
        self.setDefault("fallback_application_name", configuration.applicationName)
        // Text is always UTF-8 in both directions; this overrides PGCLIENTENCODING.
        self.values.removeAll { $0.keyword == "client_encoding" }
        self.values.append(("client_encoding", "UTF8"))
    }

    /// Connects to each host and address in turn; blocks the thread.
    ///
    /// - Returns: A connection that does not block from now on.
    /// - Throws: ``PostgresError`` with code `unavailable`.
    func connect() throws(PostgresError) -> OpaquePointer {
        let texts = [self.values.map(\.keyword), self.values.map(\.value)].map { $0.map { strdup($0) } + [nil] }
        defer { for text in texts.joined() { free(text) } }
        let pointers = texts.map { $0.map { UnsafePointer($0) } }
        guard let raw = PQconnectdbParams(pointers[0], pointers[1], 0) else {
            throw PostgresError(.unavailable, "libpq is out of memory")
        }
        guard PQstatus(raw) == CONNECTION_OK, PQsetnonblocking(raw, 1) == 0 else {
            defer { PQfinish(raw) }
            throw PostgresError(.unavailable, String(libpq: PQerrorMessage(raw)))
        }
        return raw
    }

    private mutating func setDefault(_ keyword: String, _ value: String) {
        guard !self.values.contains(where: { $0.keyword == keyword }) else { return }
        self.values.append((keyword, value))
    }

    private static func parse(_ url: String) throws(PostgresError) -> [(keyword: String, value: String)] {
        guard let options = PQconninfoParse(url, nil) else {
            throw PostgresError(.unavailable, "libpq cannot parse the database URL")
        }
        defer { PQconninfoFree(options) }
        var values: [(keyword: String, value: String)] = []
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val {
                values.append((String(cString: keyword), String(cString: value)))
            }
            option += 1
        }
        return values
    }
}
