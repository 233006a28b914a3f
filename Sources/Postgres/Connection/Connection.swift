public import Logging

/// One session with a server.
///
/// Statements of several tasks run one after another, in order of arrival. No thread blocks on the server. A cancelled
/// task still waits for its statement, because the server decides the outcome of a statement that was sent.
public final class Connection: Sendable {
    /// The events of a connection; the closures run on any thread.
    struct Events: Sendable {
        /// Called before the caller of a statement gets the error for a missed deadline.
        var onGiveUp: @Sendable () -> Void = {}
        /// Called when the server's session has ended; the argument is true if the connection had been given up.
        var onClose: @Sendable (_ wasGivenUp: Bool) -> Void = { _ in }
    }

    /// The configuration that the connection was opened with.
    public let configuration: ConnectionConfiguration

    private let session: Session

    private init(configuration: ConnectionConfiguration, session: Session) {
        self.configuration = configuration
        self.session = session
    }

    deinit {
        self.close()
    }

    /// Opens a session.
    ///
    /// The wait is bounded by `connect_timeout` for each host and address of the URL, and by the resolver's own limits.
    ///
    /// - Parameters:
    ///   - configuration: The server's address and the limits.
    ///   - logger: Receives a line at debug level when the session ends.
    /// - Returns: The open connection.
    /// - Throws: ``PostgresError`` with code `unavailable`.
    public static func connect(
        _ configuration: ConnectionConfiguration,
        logger: Logger
    ) async throws(PostgresError) -> Connection {
        try await Self.connect(configuration, logger: logger, events: Events())
    }

    static func connect(
        _ configuration: ConnectionConfiguration,
        logger: Logger,
        events: Events
    ) async throws(PostgresError) -> Connection {
        let session = try await Session.open(configuration, logger: logger, events: events)
        return Connection(configuration: configuration, session: session)
    }

    /// A Boolean value that indicates whether the connection accepts statements.
    public var isUsable: Bool { self.session.closedError == nil }

    /// Runs one statement.
    ///
    /// - Parameters:
    ///   - query: The statement.
    ///   - timeout: The time limit; `nil` uses ``ConnectionConfiguration/queryTimeout``.
    /// - Returns: The rows.
    /// - Throws: ``PostgresError``. After code `unavailable` the connection is closed. A missed deadline has code
    ///   `unavailable` too; the statement may still take effect then.
    @discardableResult
    public func query(_ query: Query, timeout: Duration? = nil) async throws(PostgresError) -> [Row] {
        try await self.session.run(query, timeout: timeout ?? self.configuration.queryTimeout)
    }

    /// Runs statements without parameters, such as a file of SQL, and discards their results.
    ///
    /// The statements form one transaction unless the script itself controls transactions.
    ///
    /// - Parameters:
    ///   - script: The statements, separated by semicolons.
    ///   - timeout: The time limit for all statements together; `nil` uses ``ConnectionConfiguration/queryTimeout``.
    /// - Throws: ``PostgresError``.
    public func execute(script: String, timeout: Duration? = nil) async throws(PostgresError) {
        _ = try await self.session.run(script: script, timeout: timeout ?? self.configuration.queryTimeout)
    }

    /// Ends the session; a running statement still finishes, but waiting statements fail with code `closed`.
    public func close() {
        self.session.close(PostgresError(.closed, "the connection was closed"))
    }

    /// An executor whose thread watches the connection's socket.
    var executor: any TaskExecutor { self.session.reactor }

    /// The transaction status after the session's last statement.
    var transaction: TransactionStatus { self.session.lastTransaction }

    /// Runs one command with the simple query protocol and returns its command tag.
    func command(_ sql: String) async throws(PostgresError) -> String {
        try await self.session.run(script: sql, timeout: self.configuration.queryTimeout).commandTag
    }
}
