import Foundation
public import Logging
import Synchronization

/// One session with a server, driven by its own thread.
///
/// Statements of several tasks run one after another, in order of arrival. A thread of the cooperative pool never
/// blocks on the server. A cancelled task still waits for its statement, because the server decides the outcome of a
/// statement that was sent.
public final class Connection: Sendable {
    /// The events of a connection, reported on its thread.
    struct Events: Sendable {
        /// Called before the caller of a statement gets the error for a missed deadline.
        var onGiveUp: @Sendable () -> Void = {}
        /// Called when the server's session has ended; the argument is true if the connection had been given up.
        var onClose: @Sendable (_ wasGivenUp: Bool) -> Void = { _ in }
    }

    /// The configuration that the connection was opened with.
    public let configuration: ConnectionConfiguration

    private let mailbox: JobQueue
    private let events: Events
    private let status = Mutex(TransactionStatus.idle)

    private init(configuration: ConnectionConfiguration, mailbox: JobQueue, events: Events) {
        self.configuration = configuration
        self.mailbox = mailbox
        self.events = events
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
        let mailbox = try JobQueue()
        let opened = await withCheckedContinuation { (continuation: CheckedContinuation<PostgresError?, Never>) in
            Thread.detachNewThread {
                ConnectionThread(mailbox: mailbox, events: events, logger: logger).run(
                    configuration,
                    onOpen: continuation
                )
            }
        }
        if let opened { throw opened }
        return Connection(configuration: configuration, mailbox: mailbox, events: events)
    }

    /// A Boolean value that indicates whether the connection accepts statements.
    public var isUsable: Bool { self.mailbox.closedError == nil }

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
        let limit = timeout ?? self.configuration.queryTimeout
        return try await self.perform { link throws(PostgresError) in try link.run(query, timeout: limit) }
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
        let limit = timeout ?? self.configuration.queryTimeout
        _ = try await self.perform { link throws(PostgresError) in try link.run(script: script, timeout: limit) }
    }

    /// Ends the session; a running statement still finishes, but waiting statements fail with code `closed`.
    public func close() {
        self.mailbox.close(PostgresError(.closed, "the connection was closed"))
    }

    /// An executor that runs tasks on the connection's thread, between its statements.
    var executor: any TaskExecutor { self.mailbox }

    /// The transaction status after the session's last statement.
    var transaction: TransactionStatus { self.status.withLock { $0 } }

    /// Runs one command with the simple query protocol and returns its command tag.
    func command(_ sql: String) async throws(PostgresError) -> String {
        let limit = self.configuration.queryTimeout
        return try await self.perform { link throws(PostgresError) in
            try link.run(script: sql, timeout: limit).commandTag
        }
    }

    private func perform<T: Sendable>(
        _ work: @escaping @Sendable (LibpqConnection) throws(PostgresError) -> T
    ) async throws(PostgresError) -> T {
        let (mailbox, events) = (self.mailbox, self.events)
        let outcome = await withCheckedContinuation { (continuation: CheckedContinuation<Outcome<T>, Never>) in
            let job = Job(
                run: { link in
                    let result = Result { () throws(PostgresError) in try work(link) }
                    // Close the mailbox before the caller resumes, so that the caller cannot pass on a dead connection.
                    if let failure = link.failure { mailbox.close(failure) }
                    if link.isGivenUp { events.onGiveUp() }
                    continuation.resume(returning: Outcome(result: result, status: link.transaction))
                },
                fail: { continuation.resume(returning: Outcome(result: .failure($0), status: .unknown)) }
            )
            mailbox.post(job)
        }
        self.status.withLock { $0 = outcome.status }
        return try outcome.result.get()
    }

    private struct Outcome<T: Sendable>: Sendable {
        let result: Result<T, PostgresError>
        let status: TransactionStatus
    }
}
