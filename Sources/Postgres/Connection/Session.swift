import CLibpq
import Foundation
import Logging
import Synchronization

/// A session with a server over one libpq connection, which never blocks a thread.
///
/// One task at a time has the session's turn. The task sends its statement, suspends until the ``Reactor`` reports
/// input, and reads the result itself. Other tasks wait for the turn in order of arrival.
actor Session {
    nonisolated let descriptor: Int32
    nonisolated let reactor: Reactor
    private nonisolated let gate = Mutex(Gate())
    private nonisolated let configuration: ConnectionConfiguration
    private nonisolated let events: Connection.Events
    private nonisolated let logger: Logger
    private let raw: OpaquePointer
    private let farewell = NoticeReceiver()
    private var statements: StatementCache
    /// The reason why the connection can no longer be used: the socket is lost, or a statement missed its deadline.
    private var failure: PostgresError?
    /// The number of reads of a silent socket until no input is left for certain.
    private var readsLeft = 0
    /// The tasks that wait for the turn; the one that has waited longest is first.
    private var waiting: [CheckedContinuation<PostgresError?, Never>] = []

    // MARK: Opening

    /// Opens a session, trying each host and address of the URL in turn.
    ///
    /// - Throws: ``PostgresError`` with code `unavailable`.
    static func open(
        _ configuration: ConnectionConfiguration,
        logger: Logger,
        events: Connection.Events
    ) async throws(PostgresError) -> Session {
        let reactor = try Reactor.shared()
        let opened = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<OpaquePointer, PostgresError>, Never>) in
            // Resolving a host's name blocks the thread, and only a blocking connect applies connect_timeout to each
            // host.
            Thread.detachNewThread {
                continuation.resume(
                    returning: Result { () throws(PostgresError) in try ConnectionParameters(configuration).connect() }
                )
            }
        }
        let session = Session(try opened.get(), configuration, reactor, logger, events)
        do throws(PostgresError) {
            try reactor.add(session)
            if let timeout = configuration.statementTimeout, configuration.preparedStatements {
                let script = "SET statement_timeout = \(timeout.milliseconds)"
                try await session.run(script: script, timeout: configuration.connectTimeout)
            }
        } catch {
            session.close(error)
            throw error
        }
        return session
    }

    private init(
        _ raw: sending OpaquePointer,
        _ configuration: ConnectionConfiguration,
        _ reactor: Reactor,
        _ logger: Logger,
        _ events: Connection.Events
    ) {
        self.descriptor = PQsocket(raw)
        self.reactor = reactor
        self.configuration = configuration
        self.events = events
        self.logger = logger
        self.raw = raw
        self.statements = StatementCache(limit: configuration.maximumPreparedStatements)
        self.farewell.listen(on: raw)
    }

    // MARK: Statements

    /// Runs one statement.
    ///
    /// - Throws: ``PostgresError``, marked as unsent if the connection was dead before the statement was sent.
    func run(_ query: Query, timeout: Duration?) async throws(PostgresError) -> [Row] {
        try await self.beginTurn()
        defer { self.endTurn() }
        try self.check(query.sql)
        guard query.binds.count <= Int(Int16.max) * 2 + 1 else {
            throw PostgresError(.invalid, "a statement may have at most 65535 parameters")
        }
        let deadline = Deadline(instant: timeout.map { .now + $0 })
        guard self.configuration.preparedStatements else {
            let sent = Parameters(query.binds).withPointers { types, values, lengths, formats in
                PQsendQueryParams(self.raw, query.sql, Int32(query.binds.count), types, values, lengths, formats, 1)
            }
            return try await self.finish(sent, deadline).rows
        }
        do throws(PostgresError) {
            return try await self.runPrepared(query, deadline)
        } catch {
            guard error.isStaleStatement, self.failure == nil, self.transaction == .idle else { throw error }
            // The prepared statement was stale and had no effect, so prepare it again and retry once.
            return try await self.runPrepared(query, deadline)
        }
    }

    /// Runs any number of statements with the simple query protocol and discards their results.
    ///
    /// - Throws: ``PostgresError`` of the first statement that fails; its `completed` counts the statements that
    ///   succeeded before.
    @discardableResult
    func run(script: String, timeout: Duration?) async throws(PostgresError) -> QueryResult {
        try await self.beginTurn()
        defer { self.endTurn() }
        try self.check(script)
        return try await self.finish(PQsendQuery(self.raw, script), Deadline(instant: timeout.map { .now + $0 }))
    }

    private func check(_ sql: String) throws(PostgresError) {
        self.readMessages()
        self.readsLeft = 0
        if let failure { throw failure.unsent }
        guard !sql.utf8.contains(0) else {
            throw PostgresError(sqlState: "22021", message: "a statement must not contain a NUL character")
        }
    }

    private func runPrepared(_ query: Query, _ deadline: Deadline) async throws(PostgresError) -> [Row] {
        let key = StatementCache.Key(sql: query.sql, types: query.binds.map(\.type))
        let name = try await self.prepare(key, deadline)
        do throws(PostgresError) {
            let sent = Parameters(query.binds).withPointers { _, values, lengths, formats in
                PQsendQueryPrepared(self.raw, name, Int32(query.binds.count), values, lengths, formats, 1)
            }
            return try await self.finish(sent, deadline).rows
        } catch {
            if error.isStaleStatement, let stale = self.statements.remove(key) {
                try await self.deallocate(stale, deadline)
            }
            throw error
        }
    }

    private func prepare(_ key: StatementCache.Key, _ deadline: Deadline) async throws(PostgresError) -> String {
        if let name = self.statements.name(for: key) { return name }
        let name = self.statements.newName()
        let sent = PQsendPrepare(self.raw, name, key.sql, Int32(key.types.count), key.types.map(\.rawValue))
        try await self.finish(sent, deadline)
        if let evicted = self.statements.insert(key, name: name) { try await self.deallocate(evicted, deadline) }
        return name
    }

    /// Deallocates a prepared statement.
    ///
    /// In a failed transaction the statement stays on the server, but its name is never used again.
    private func deallocate(_ name: String, _ deadline: Deadline) async throws(PostgresError) {
        guard self.transaction != .failed else { return }
        do throws(PostgresError) {
            try await self.finish(PQsendQuery(self.raw, "DEALLOCATE \(name)"), deadline)
        } catch {
            guard error.sqlState == "26000" else { throw error }
        }
    }

    /// Sends the remaining data and collects every result, so that the connection is ready for the next statement.
    @discardableResult
    private func finish(_ sent: Int32, _ deadline: Deadline) async throws(PostgresError) -> QueryResult {
        guard sent == 1 else { throw self.sendFailure() }
        var answer = QueryResult()
        try await self.flush(deadline)
        while true {
            try await self.awaitResult(deadline)
            guard let result = PQgetResult(self.raw) else { break }
            defer { PQclear(result) }
            guard answer.add(result) else {
                throw self.abandon(PostgresError(.internal, "COPY is not supported"))
            }
        }
        if PQstatus(self.raw) == CONNECTION_BAD { self.abandon(self.lost()) }
        let unconfirmed = self.farewell.takeUnconfirmed()
        guard var error = answer.error ?? unconfirmed else { return answer }
        if answer.error != nil, error.sqlState == nil { error.code = self.failure == nil ? .internal : .unavailable }
        // The server has become a standby and will not become a primary again during this session.
        if error.sqlState == "25006" { self.abandon(error) }
        throw error
    }

    private func sendFailure() -> PostgresError {
        if PQstatus(self.raw) == CONNECTION_BAD { self.abandon(self.lost()) }
        return self.failure ?? PostgresError(.internal, String(libpq: PQerrorMessage(self.raw)))
    }

    // MARK: Waiting for the server

    /// Sends the data that libpq still buffers; it also reads, so that client and server do not wait for each other.
    private func flush(_ deadline: Deadline) async throws(PostgresError) {
        while true {
            let left = PQflush(self.raw)
            guard left != 0 else { return }
            guard left == 1 else { throw self.abandon(self.lost()) }
            self.readsLeft = 0
            try await self.read(deadline, orWrite: true)
            if deadline.hasPassed { throw self.giveUp() }
        }
    }

    /// Waits until libpq has a complete result.
    private func awaitResult(_ deadline: Deadline) async throws(PostgresError) {
        while PQisBusy(self.raw) == 1 {
            try await self.read(deadline)
            if deadline.hasPassed, PQisBusy(self.raw) == 1 { throw self.giveUp() }
        }
    }

    /// Reads once; if all input has been read, first waits for more, or for the deadline.
    private func read(_ deadline: Deadline, orWrite: Bool = false) async throws(PostgresError) {
        if self.readsLeft == 0 {
            await self.awaitEvent(deadline, orWrite: orWrite)
            // libpq makes room for at least 8 kB before each read, and an encrypted record has at most 16 kB. So after
            // three reads of a silent socket, no decrypted data is left.
            self.readsLeft = PQsslInUse(self.raw) == 1 || PQgssEncInUse(self.raw) == 1 ? 3 : 1
        }
        guard PQconsumeInput(self.raw) == 1 else { throw self.abandon(self.lost()) }
        if PQisBusy(self.raw) == 1, !self.isReadable { self.readsLeft -= 1 }
    }

    /// Suspends until the socket has input, or accepts output if that is wanted, or until the deadline.
    private func awaitEvent(_ deadline: Deadline, orWrite: Bool) async {
        await withCheckedContinuation { (reader: Gate.Reader) in
            self.gate.withLock { $0.store(reader, until: deadline.instant) }
            self.reactor.watch(self, forOutput: orWrite)
            if let instant = deadline.instant { self.reactor.register(instant) }
        }
    }

    private var isReadable: Bool {
        var watched = pollfd(fd: self.descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&watched, 1, 0) > 0
    }

    /// Reads messages that the server sent without a request, which may include the end of the session.
    private func readMessages() {
        while self.failure == nil, self.isReadable {
            if PQconsumeInput(self.raw) == 0 || PQstatus(self.raw) == CONNECTION_BAD { self.abandon(self.lost()) }
            // Makes libpq parse the data that it has read.
            _ = PQisBusy(self.raw)
            if let error = self.farewell.error { self.abandon(error) }
        }
    }

    /// Resumes the task that waits for the socket; if no task has the turn, reads the server's messages.
    ///
    /// If a task has the turn but does not wait, the event is dropped, because the task watches the socket again.
    nonisolated func noteEvent() {
        let (reader, isTaken) = self.gate.withLock { $0.noteEvent() }
        reader?.resume()
        if isTaken { Task.detached { await self.readIdle() } }
    }

    /// Resumes the task that waits for the socket if its deadline has passed.
    ///
    /// - Returns: The deadline that has not passed, if any.
    nonisolated func expire(_ now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        let (reader, deadline) = self.gate.withLock { $0.expire(now) }
        reader?.resume()
        return deadline
    }

    // MARK: Turns

    /// The reason why the session accepts no statements; `nil` while it does.
    nonisolated var closedError: PostgresError? { self.gate.withLock { $0.closed } }

    /// The transaction status after the session's last statement.
    nonisolated var lastTransaction: TransactionStatus { self.gate.withLock { $0.transaction } }

    private func beginTurn() async throws(PostgresError) {
        if let closed = self.closedError { throw closed.unsent }
        guard !self.gate.withLock({ $0.take() }) else { return }
        if let closed = await withCheckedContinuation({ self.waiting.append($0) }) { throw closed.unsent }
    }

    /// Passes the turn on, or ends the session.
    ///
    /// The session is closed before the caller resumes, so that the caller cannot pass on a dead connection.
    private func endTurn() {
        if let failure { self.close(failure) }
        if self.failure?.isGivenUp == true {
            self.events.onGiveUp()
            Task.detached { await self.endGivenUp() }
            return
        }
        let (transaction, isWanted) = (self.transaction, !self.waiting.isEmpty)
        switch self.gate.withLock({ $0.endTurn(transaction, isWanted: isWanted) }) {
        case .free: self.reactor.watch(self, forOutput: false)
        case .wanted: self.waiting.removeFirst().resume(returning: nil)
        case .closed: self.end()
        }
    }

    private func readIdle() {
        self.readMessages()
        self.endTurn()
    }

    private var transaction: TransactionStatus {
        switch PQtransactionStatus(self.raw) {
        case PQTRANS_IDLE: .idle
        case PQTRANS_INTRANS: .open
        case PQTRANS_INERROR: .failed
        default: .unknown
        }
    }

    // MARK: The end

    /// Refuses all waiting and all further statements, and ends the session after the running one; if the session is
    /// closed already, the first reason stays.
    nonisolated func close(_ reason: PostgresError) {
        guard let isFree = self.gate.withLock({ $0.close(reason) }) else { return }
        Task.detached {
            for turn in await self.takeWaiting() { turn.resume(returning: reason) }
            if isFree { await self.end() }
        }
    }

    private func takeWaiting() -> [CheckedContinuation<PostgresError?, Never>] {
        defer { self.waiting = [] }
        return self.waiting
    }

    /// Marks the connection as unusable; the first reason stays.
    @discardableResult
    private func abandon(_ error: PostgresError) -> PostgresError {
        self.failure = self.failure ?? error
        return error
    }

    /// Returns the error for a lost connection, with libpq's message.
    private func lost() -> PostgresError {
        let text = String(libpq: PQerrorMessage(self.raw))
        return PostgresError(.unavailable, text ?? "the connection to the database was lost")
    }

    /// Gives the connection up at the deadline, without a cancel.
    ///
    /// The server may be waiting for a standby to confirm the commit. A cancel would end that wait but not the
    /// transaction, so all sessions would see a commit that a failover can lose. The session keeps its locks until the
    /// server has finished.
    private func giveUp() -> PostgresError {
        var error = PostgresError(.unavailable, "the database did not respond in time")
        error.isGivenUp = true
        return self.abandon(error)
    }

    /// Ends the session after the server has finished a statement whose caller no longer waits for it, or after the
    /// connection is lost.
    ///
    /// The server does not run a statement that was sent only in part, so there is nothing to wait for in that case.
    private func endGivenUp() async {
        defer { self.end() }
        guard PQflush(self.raw) == 0 else { return }
        while (try? await self.awaitResult(Deadline(instant: nil))) != nil, let result = PQgetResult(self.raw) {
            PQclear(result)
        }
    }

    /// Frees the connection; the turn is never free again, so no statement uses it.
    private func end() {
        self.reactor.remove(self)
        PQfinish(self.raw)
        let reason = self.closedError.map { "\($0)" } ?? ""
        self.logger.debug("database connection ended", metadata: ["reason": "\(reason)"])
        self.events.onClose(self.failure?.isGivenUp == true)
    }
}

/// The part of a session's state that code outside its actor uses: callers, and the reactor.
private struct Gate {
    typealias Reader = CheckedContinuation<Void, Never>

    enum Next {
        case free
        case wanted
        case closed
    }

    /// A Boolean value that indicates whether a task has the turn; true for ever once the session has ended.
    private var isTaken = false
    /// The task with the turn, while it waits for an event of the socket or for its deadline.
    private var reader: Reader?
    private var deadline: ContinuousClock.Instant?
    /// The reason why the session accepts no statements; `nil` while it does.
    private(set) var closed: PostgresError?
    private(set) var transaction = TransactionStatus.idle

    /// Takes the turn if it is free.
    mutating func take() -> Bool {
        defer { self.isTaken = true }
        return !self.isTaken
    }

    /// Stores the task until the next event or its deadline.
    mutating func store(_ reader: Reader, until deadline: ContinuousClock.Instant?) {
        (self.reader, self.deadline) = (reader, deadline)
    }

    /// Returns the task that waits for an event; if no task has the turn, takes the turn.
    mutating func noteEvent() -> (reader: Reader?, isTaken: Bool) {
        if let reader = self.takeReader() { return (reader, false) }
        return (nil, self.take())
    }

    /// Returns the task that waits for an event if its deadline has passed, or else the deadline.
    mutating func expire(_ now: ContinuousClock.Instant) -> (reader: Reader?, deadline: ContinuousClock.Instant?) {
        guard let deadline, deadline <= now else { return (nil, self.deadline) }
        return (self.takeReader(), nil)
    }

    private mutating func takeReader() -> Reader? {
        defer { (self.reader, self.deadline) = (nil, nil) }
        return self.reader
    }

    /// Ends a turn; the turn stays taken unless the session is free afterwards.
    mutating func endTurn(_ transaction: TransactionStatus, isWanted: Bool) -> Next {
        self.transaction = transaction
        if self.closed != nil { return .closed }
        self.isTaken = isWanted
        return isWanted ? .wanted : .free
    }

    /// Closes the session, and takes the turn for its end if it is free.
    ///
    /// - Returns: A Boolean value that indicates whether the turn was free; `nil` if the session was closed before.
    mutating func close(_ reason: PostgresError) -> Bool? {
        guard self.closed == nil else { return nil }
        self.closed = reason
        return self.take()
    }
}

/// The transaction status of a session between statements.
enum TransactionStatus: Sendable {
    case idle
    case open
    case failed
    case unknown
}

/// A statement's parameters in the layout that libpq expects.
private struct Parameters {
    private let types: [UInt32]
    private let lengths: [Int32]
    private let formats: [Int32]
    private let offsets: [Int?]
    private let bytes: [UInt8]

    init(_ binds: [Query.Bind]) {
        var bytes: [UInt8] = []
        self.offsets = binds.map { bind in
            guard let value = bind.bytes else { return nil }
            defer { bytes += value }
            return bytes.count
        }
        // Adds one byte, so that an empty last value still has an address.
        self.bytes = bytes + [0]
        self.types = binds.map(\.type.rawValue)
        self.lengths = binds.map { Int32($0.bytes?.count ?? 0) }
        self.formats = Array(repeating: 1, count: binds.count)
    }

    func withPointers<T>(
        _ body: ([UInt32], [UnsafePointer<CChar>?], [Int32], [Int32]) -> T
    ) -> T {
        self.bytes.withUnsafeBytes { buffer in
            let base = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
            let values = self.offsets.map { offset in offset.flatMap { base?.advanced(by: $0) } }
            return body(self.types, values, self.lengths, self.formats)
        }
    }
}
