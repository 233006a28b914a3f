import Foundation
public import Logging
import Synchronization

/// One session with a server, driven by a thread of its own.
///
/// Statements of several tasks run one after the other, in the order they came. No cooperative thread ever waits for
/// the server. A task that is cancelled still waits for its statement: what was sent is decided by the server.
public final class Connection: Sendable {
    /// What a connection reports of itself, from its own thread.
    struct Events: Sendable {
        /// Called before a caller gets the error of a statement that ran past its deadline.
        var onGiveUp: @Sendable () -> Void = {}
        /// Called when the server's session is over; the argument is true if the connection had been given up.
        var onClose: @Sendable (_ wasGivenUp: Bool) -> Void = { _ in }
    }

    /// The limits the connection was opened with.
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
    ///   - configuration: Where to, and how long to wait.
    ///   - logger: Gets a line at debug level when the session ends.
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

    /// Whether statements can still be run.
    public var isUsable: Bool { self.mailbox.closedError == nil }

    /// Runs one statement.
    ///
    /// - Parameters:
    ///   - query: The statement.
    ///   - timeout: How long it may take, instead of ``ConnectionConfiguration/queryTimeout``.
    /// - Returns: The rows.
    /// - Throws: ``PostgresError``. After code `unavailable` the connection is closed; at the deadline, which is code
    ///   `unavailable` too, the statement may yet take effect.
    @discardableResult
    public func query(_ query: Query, timeout: Duration? = nil) async throws(PostgresError) -> [Row] {
        let limit = timeout ?? self.configuration.queryTimeout
        return try await self.perform { link throws(PostgresError) in try link.run(query, timeout: limit) }
    }

    /// Runs statements without parameters, such as a file of SQL, and drops what they return.
    ///
    /// They form one transaction unless the script says otherwise.
    ///
    /// - Parameters:
    ///   - script: The statements, separated by semicolons.
    ///   - timeout: How long they may take together, instead of ``ConnectionConfiguration/queryTimeout``.
    /// - Throws: ``PostgresError``.
    public func execute(script: String, timeout: Duration? = nil) async throws(PostgresError) {
        let limit = timeout ?? self.configuration.queryTimeout
        _ = try await self.perform { link throws(PostgresError) in try link.run(script: script, timeout: limit) }
    }

    /// Ends the session; what runs still finishes, what waits fails with code `closed`.
    public func close() {
        self.mailbox.close(PostgresError(.closed, "the connection was closed"))
    }

    /// Runs tasks on the connection's thread, between its statements.
    var executor: any TaskExecutor { self.mailbox }

    /// Where the session stood after its last statement.
    var transaction: TransactionStatus { self.status.withLock { $0 } }

    /// Runs one command by the simple protocol and returns its tag.
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
                    // Closed before the caller goes on, so that it cannot hand a dead connection to anyone.
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
