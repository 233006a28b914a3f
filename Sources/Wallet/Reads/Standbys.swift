import Metrics
public import Postgres
import Synchronization

/// Standbys that answer what decides nothing, so that the primary has more time for what does.
///
/// A client that joins in carries a token from answer to answer: how far it has seen the books. Its reads go to a
/// standby that has replayed as much, or to the primary. So it sees its own writes, and nothing older than what it saw.
/// A client without a token reads from the primary.
public final class Standbys: Sendable {
    private struct State {
        /// What the primary had written in the last seconds, the oldest first.
        var written: [WALPosition] = []
        /// Until when nobody is sent to standbys, and then one to see; nil while they answer.
        var restsUntil: ContinuousClock.Instant?
        /// Asks the primary for those who came since the one before it began.
        var next: Task<WALPosition?, Never>?
        var running: Task<WALPosition?, Never>?

        /// From where on a standby must have come for anybody; nil where none is to be asked.
        mutating func floor() -> WALPosition? {
            if let restsUntil {
                guard restsUntil <= .now else { return nil }
                self.restsUntil = .now + Standbys.rest
            }
            return self.written.first
        }

        /// Forgets what another primary had written: after a promotion a standby must have followed to the new one.
        mutating func note(_ position: WALPosition) {
            if let last = self.written.last, position.timeline > last.timeline { self.written = [position] }
        }

        /// Notes what the primary has written a second after the one before; less is another primary's.
        mutating func append(_ position: WALPosition) {
            self.note(position)
            if let last = self.written.last, position < last { self.written = [] }
            self.written.append(position)
            if self.written.count > Standbys.maximumAge { self.written.removeFirst() }
        }
    }

    /// What a client sends that has seen nothing yet, and is answered where nobody knows how far it has seen.
    public static let latest = "latest"
    /// How often ``keepUp()`` is to be called.
    public static let interval = Duration.seconds(1)

    /// How long a read waits for a standby: less than a user notices.
    private static let patience = Duration.milliseconds(50)
    /// How many seconds what a standby shows may be old, where the client has not seen the books for longer.
    private static let maximumAge = 10
    /// How long standbys are left alone that do not answer, or are further behind.
    private static let rest = Duration.seconds(1)

    /// The wallet's name, where the process serves several.
    public let wallet: String?
    private let primary: Pool
    private let pool: Pool
    private let state = Mutex(State())
    private let answered = Standbys.counter("standby", "replayed")
    private let askedForLatest = Standbys.counter("primary", "latest")
    private let behind = Standbys.counter("primary", "behind")
    private let unavailable = Standbys.counter("primary", "unavailable")

    /// Makes the set; nothing is opened yet.
    ///
    /// - Parameters:
    ///   - pool: Connections to the standbys.
    ///   - primary: Connections to the primary.
    ///   - wallet: The wallet's name, where the process serves several.
    public init(pool: Pool, primary: Pool, wallet: String? = nil) {
        self.wallet = wallet
        self.pool = pool
        self.primary = primary
    }

    /// Says how far a client has seen the books after a session.
    ///
    /// - Parameter session: The session, whose work is done.
    /// - Returns: The token that its next request carries.
    public func token(after session: ReadSession) async -> String {
        if let position = session.position { return position.text }
        guard session.askedPrimary, let position = await self.positionOfPrimary() else { return Self.latest }
        return position.text
    }

    /// Notes how far the primary is; a standby that is further behind than some seconds answers nobody.
    ///
    /// - Throws: ``PostgresError``.
    public func keepUp() async throws {
        let position = try await self.primary.position(within: Self.interval)
        self.state.withLock { $0.append(position) }
    }

    /// Runs a statement that only reads, for the session of the task.
    ///
    /// - Parameter query: The statement.
    /// - Returns: The rows; nil where the primary is to be asked.
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
            guard let answer = try await self.pool.query(query, at: position, within: Self.patience) else {
                // Who is that far behind will not be there for the next one either.
                if position > minimum { self.takeRest() } else { self.endRest() }
                return (nil, self.behind)
            }
            self.endRest()
            session.noteStandby(answer.position)
            return (answer.rows, self.answered)
        } catch {
            // Not when all connections are in use: then it answers, and the next one may find a connection.
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

    /// How far the primary is at an instant after the call began: one question answers all who came before it was sent.
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
                // Who waits has its answer already, so a question that hangs must not hold it up.
                guard let position = try? await self.primary.position(within: Self.patience) else { return nil }
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
