import Metrics
public import Postgres
import Synchronization

/// Standbys that serve read-only requests, so that the primary has more time for decisions.
///
/// A participating client passes a token from each answer to its next request: the position up to which it has seen the
/// books. Its reads go to a standby that has replayed the log up to this position, or to the primary. So the client
/// sees its own writes, and never an older state than before. A client without a token reads from the primary.
public final class Standbys: Sendable {
    private struct State {
        /// The primary's positions in the last seconds, the oldest first.
        var written: [WALPosition] = []
        /// The time until which no reads go to standbys; then one read tests them.
        ///
        /// `nil` while the standbys answer.
        var restsUntil: ContinuousClock.Instant?
        /// The next query of the primary's position, for calls that arrived after the running query began.
        var next: Task<WALPosition?, Never>?
        var running: Task<WALPosition?, Never>?

        /// Returns the minimum position of a standby for any client; `nil` if no standby should be used.
        mutating func floor() -> WALPosition? {
            if let restsUntil {
                guard restsUntil <= .now else { return nil }
                self.restsUntil = .now + Standbys.rest
            }
            return self.written.first
        }

        /// Drops the positions of an earlier primary, because after a promotion a standby must follow the new one.
        mutating func note(_ position: WALPosition) {
            if let last = self.written.last, position.timeline > last.timeline { self.written = [position] }
        }

        /// Adds the primary's position, a second after the previous one; a lower position belongs to another primary.
        mutating func append(_ position: WALPosition) {
            self.note(position)
            if let last = self.written.last, position < last { self.written = [] }
            self.written.append(position)
            if self.written.count > Standbys.maximumAge { self.written.removeFirst() }
        }
    }

    /// The token of a client that has seen nothing yet, and the token in answers whose position is unknown.
    public static let latest = "latest"
    /// The interval between calls of ``keepUp()``.
    public static let interval = Duration.seconds(1)

    /// The maximum age of a standby's data, in seconds, for a client that has not seen newer data.
    private static let maximumAge = 10
    /// The time for which standbys get no reads after they did not answer or were too far behind.
    private static let rest = Duration.seconds(1)

    /// The wallet's name, if the process serves several wallets.
    public let wallet: String?
    private let primary: Pool
    private let pool: Pool
    private let patience: Duration
    private let state = Mutex(State())
    private let answered = Standbys.counter("standby", "replayed")
    private let askedForLatest = Standbys.counter("primary", "latest")
    private let behind = Standbys.counter("primary", "behind")
    private let unavailable = Standbys.counter("primary", "unavailable")

    /// Creates the set without opening a connection.
    ///
    /// - Parameters:
    ///   - pool: A pool of connections to the standbys.
    ///   - primary: A pool of connections to the primary.
    ///   - wallet: The wallet's name, if the process serves several wallets.
    ///   - patience: The maximum time that a read waits for a standby, or for the primary's position. The default is too
    ///     short for a user to notice.
    public init(pool: Pool, primary: Pool, wallet: String? = nil, patience: Duration = .milliseconds(50)) {
        self.wallet = wallet
        self.patience = patience
        self.pool = pool
        self.primary = primary
    }

    /// Returns the token for the position up to which a client has seen the books after a session.
    ///
    /// - Parameter session: The session, whose work is done.
    /// - Returns: The token for the client's next request.
    public func token(after session: ReadSession) async -> String {
        if let position = session.position { return position.text }
        return session.askedPrimary ? await self.token() : Self.latest
    }

    /// Returns the token of a client that has seen what the primary has written so far.
    ///
    /// - Returns: The token; ``latest`` if the primary does not answer in time.
    public func token() async -> String {
        await self.positionOfPrimary()?.text ?? Self.latest
    }

    /// Records the primary's position; a standby that is about ten seconds behind serves no reads.
    ///
    /// - Throws: ``PostgresError``.
    public func keepUp() async throws {
        let position = try await self.primary.position(within: Self.interval)
        self.state.withLock { $0.append(position) }
    }

    /// Runs a read-only statement for the session of the task.
    ///
    /// - Parameter query: The statement.
    /// - Returns: The rows; `nil` if the primary must be used.
    func rows(of query: Query) async -> [Row]? {
        guard let session = ReadSession.current else { return nil }
        let (rows, counter) = await self.answer(query, session)
        counter.increment()
        return rows
    }

    private func answer(_ query: Query, _ session: ReadSession) async -> (rows: [Row]?, Counter) {
        guard let minimum = session.position else { return (nil, self.askedForLatest) }
        guard let floor = self.state.withLock({ $0.floor() }) else { return (nil, self.unavailable) }
        let position = max(floor, minimum)
        do throws(PostgresError) {
            guard let answer = try await self.pool.query(query, at: position, within: self.patience) else {
                // A standby that is this far behind would not serve the next read either.
                if position > minimum { self.takeRest() } else { self.endRest() }
                return (nil, self.behind)
            }
            self.endRest()
            session.noteSeen(answer.position)
            return (answer.rows, self.answered)
        } catch {
            // If all connections are in use, the standby still answers, and the next read may get a connection.
            if [.unavailable, .closed].contains(error.code) || (error.code == .cancelled && !Task.isCancelled) {
                self.takeRest()
            }
            return (nil, self.unavailable)
        }
    }

    private func endRest() {
        self.state.withLock { $0.restsUntil = nil }
    }

    private func takeRest() {
        self.state.withLock { $0.restsUntil = .now + Self.rest }
    }

    /// Returns the primary's position at an instant after the call began; one query serves all calls that arrived
    /// before it.
    private func positionOfPrimary() async -> WALPosition? {
        let task = self.state.withLock { state in
            if let next = state.next { return next }
            let running = state.running
            let task = Task.detached { () -> WALPosition? in
                _ = await running?.value
                self.state.withLock { state in
                    state.running = state.next
                    state.next = nil
                }
                // The waiting requests have their results already, so a slow query must not delay them.
                guard let position = try? await self.primary.position(within: self.patience) else { return nil }
                self.state.withLock { $0.note(position) }
                return position
            }
            state.next = task
            return task
        }
        return await task.value
    }

    private static func counter(_ server: String, _ reason: String) -> Counter {
        Counter(label: "wallet_reads_total", dimensions: [("server", server), ("reason", reason)])
    }
}

/// The reads of one request: whether they may use standbys, and how far the client has seen the books.
public final class ReadSession: Sendable {
    private struct State {
        var seen: WALPosition?
        var askedPrimary: Bool
    }

    @TaskLocal static var current: ReadSession?

    /// The position up to which the client had seen the books; `nil` if it is unknown.
    private let start: WALPosition?
    /// A Boolean value that indicates whether the request only reads.
    public let isRead: Bool
    private let state: Mutex<State>

    /// Creates a session.
    ///
    /// - Parameters:
    ///   - token: The token from the client's last answer (see ``Standbys/token(after:)``); any other text requests the
    ///     newest state.
    ///   - isRead: A Boolean value that indicates whether the request only reads.
    public init(after token: String, isRead: Bool) {
        self.start = WALPosition(text: token)
        self.isRead = isRead
        self.state = Mutex(State(seen: nil, askedPrimary: !isRead))
    }

    /// Runs a body whose reads may use standbys.
    ///
    /// - Parameter body: The work to run.
    /// - Returns: The body's result.
    /// - Throws: The body's error.
    public func run<T>(_ body: () async throws -> T) async rethrows -> T {
        try await Self.$current.withValue(self, operation: body)
    }

    /// Runs a body whose reads use the primary, whatever the task's session allows.
    ///
    /// - Parameter body: The work to run.
    /// - Returns: The body's result.
    /// - Throws: The body's error.
    public static func onPrimary<T>(_ body: () async throws -> T) async rethrows -> T {
        try await Self.$current.withValue(nil, operation: body)
    }

    /// The position up to which the client has seen the books by now; `nil` if it is unknown or the request has used
    /// the primary.
    ///
    /// The session's next read shows at least this state, so that one answer never mixes older and newer rows.
    var position: WALPosition? {
        self.state.withLock { state in
            guard !state.askedPrimary, let start = self.start else { return nil }
            return max(start, state.seen ?? start)
        }
    }

    /// A Boolean value that indicates whether the request has read from the primary, or may have changed it.
    var askedPrimary: Bool {
        self.state.withLock(\.askedPrimary)
    }

    /// Records, for the task's session, that its response shows what another request has read from the primary.
    ///
    /// - Parameter token: The token from after that read (see ``Standbys/token()``).
    public static func noteShared(_ token: String) {
        if let position = WALPosition(text: token) {
            Self.current?.noteSeen(position)
        } else {
            Self.current?.notePrimary()
        }
    }

    func noteSeen(_ position: WALPosition) {
        self.state.withLock { $0.seen = max($0.seen ?? position, position) }
    }

    func notePrimary() {
        self.state.withLock { $0.askedPrimary = true }
    }
}
