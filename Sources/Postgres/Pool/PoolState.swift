/// What a ``Pool`` knows: which connections there are and who waits.
///
/// It decides, and leaves acting to the pool.
struct PoolState {
    typealias Waiter = CheckedContinuation<Result<Connection, PostgresError>, Never>

    struct Idle {
        let connection: Connection
        let since: ContinuousClock.Instant
    }

    struct Waiting {
        let id: UInt64
        let continuation: Waiter
        let since = ContinuousClock.now
        var timer: Task<Void, Never>?
    }

    /// Which waiters get what; to be carried out after the lock is released.
    struct Actions {
        var resume: [(Waiting, Result<Connection, PostgresError>)] = []
        var openers = 0
        var close: [Connection] = []
        var drained: [CheckedContinuation<Void, Never>] = []
    }

    let configuration: PoolConfiguration
    private(set) var idle: [Idle] = []
    private(set) var leased = 0
    private(set) var opening = 0
    /// The number of given-up connections whose statement the server has not ended.
    private(set) var givenUp = 0
    private(set) var waiting: [Waiting] = []
    private(set) var failures = 0
    private(set) var lastFailure: PostgresError?
    /// When the first and the last of the attempts to connect failed since one succeeded.
    private var failing: ClosedRange<ContinuousClock.Instant>?
    private(set) var isClosing = false
    private var drainers: [CheckedContinuation<Void, Never>] = []

    init(configuration: PoolConfiguration) {
        self.configuration = configuration
    }

    private var open: Int { self.idle.count + self.leased }
    /// The number of connections that there may be by now.
    private var limit: Int {
        max(0, self.configuration.maximumConnections - max(0, self.givenUp - self.configuration.spareConnections))
    }
    /// A Boolean value that indicates whether all connections have been given up, so that none comes free soon.
    private var isStuck: Bool { self.open == 0 && self.opening == 0 && self.limit == 0 }
    private var isDrained: Bool { self.isClosing && self.leased == 0 && self.waiting.isEmpty && self.opening == 0 }

    // MARK: Leasing

    /// Hands out an idle connection, queues the waiter, or refuses it.
    mutating func lease(id: UInt64, continuation: Waiter) -> Actions {
        var actions = Actions()
        let waiter = Waiting(id: id, continuation: continuation)
        guard !self.isClosing else {
            actions.resume = [(waiter, .failure(PostgresError(.closed, "the connection pool is shutting down")))]
            return actions
        }
        if self.waiting.isEmpty, let connection = self.popIdle() {
            self.leased += 1
            actions.resume = [(waiter, .success(connection))]
            return actions
        }
        guard !self.isStuck else {
            actions.resume = [(waiter, .failure(self.refusal("every connection was given up")))]
            return actions
        }
        guard !self.isUnreachable else {
            actions.resume = [(waiter, .failure(self.refusal("the database cannot be reached")))]
            self.probe(&actions)
            return actions
        }
        guard self.waiting.count < self.configuration.maximumWaiters else {
            actions.resume = [(waiter, .failure(self.refusal("too many tasks wait for a database connection")))]
            return actions
        }
        self.waiting.append(waiter)
        self.openMore(&actions)
        return actions
    }

    /// Hands out an idle connection if there is one and nobody waits.
    mutating func takeIdle() -> Connection? {
        guard self.waiting.isEmpty, let connection = self.popIdle() else { return nil }
        self.leased += 1
        return connection
    }

    mutating func setTimer(_ timer: Task<Void, Never>, for id: UInt64) -> Bool {
        guard let index = self.waiting.firstIndex(where: { $0.id == id }) else { return false }
        self.waiting[index].timer = timer
        return true
    }

    /// Takes a waiter out of the queue; anyone who finds it gone came too late.
    mutating func expire(_ id: UInt64, isCancelled: Bool) -> Actions {
        var actions = Actions()
        guard let index = self.waiting.firstIndex(where: { $0.id == id }) else { return actions }
        let waiter = self.waiting.remove(at: index)
        let error =
            isCancelled
            ? PostgresError(.cancelled, "the task was cancelled while it waited for a database connection")
            : self.refusal("no database connection came free in time")
        actions.resume = [(waiter, .failure(error))]
        self.drain(&actions)
        return actions
    }

    /// Takes a connection back: to the first who waits, to the idle ones, or out of service.
    mutating func release(_ connection: Connection, isClean: Bool) -> Actions {
        var actions = Actions()
        self.leased -= 1
        if isClean, connection.isUsable {
            self.place(connection, &actions)
        } else {
            actions.close.append(connection)
            self.openMore(&actions)
        }
        if self.isStuck { self.refuseAll(self.refusal("every connection was given up"), &actions) }
        self.drain(&actions)
        return actions
    }

    // MARK: Opening

    /// How long to pause before the next attempt to connect, with some chance in it.
    var backoff: Duration {
        guard self.failures > 0 else { return .zero }
        let ceiling = self.configuration.maximumBackoff
        let pause = min(ceiling, .milliseconds(50 * (1 << min(self.failures - 1, 10))))
        return pause * Double.random(in: 0.5...1)
    }

    mutating func opened(_ connection: Connection) -> Actions {
        var actions = Actions()
        self.opening -= 1
        self.failures = 0
        self.lastFailure = nil
        self.failing = nil
        self.place(connection, &actions)
        self.openMore(&actions)
        self.drain(&actions)
        return actions
    }

    /// Notes a failed attempt.
    ///
    /// - Returns: Whether the opener shall try again, because somebody still waits.
    mutating func openFailed(_ error: PostgresError) -> (goesOn: Bool, actions: Actions) {
        self.failures += 1
        self.lastFailure = error
        let now = ContinuousClock.now
        // An attempt of long ago says nothing of the time since.
        let earlier = self.failing.flatMap { $0.upperBound.duration(to: now) <= Self.longestIgnorance ? $0 : nil }
        self.failing = (earlier?.lowerBound ?? now)...now
        var actions = Actions()
        if self.isUnreachable { self.refuseAll(error, &actions) }
        guard self.waiting.isEmpty || self.opening > 1 else { return (true, actions) }
        self.opening -= 1
        self.drain(&actions)
        return (false, actions)
    }

    /// Notes that a connection is given up, which its caller still holds.
    mutating func noteGivenUp() {
        self.givenUp += 1
    }

    /// Forgets a connection whose session is over.
    mutating func closed(wasGivenUp: Bool) -> Actions {
        var actions = Actions()
        self.removeClosed()
        if wasGivenUp {
            self.givenUp -= 1
            self.openMore(&actions)
        }
        return actions
    }

    private mutating func removeClosed() {
        self.idle.removeAll { !$0.connection.isUsable }
    }

    // MARK: Upkeep and shutdown

    /// Closes what has been idle for too long and opens up to the minimum.
    mutating func upkeep() -> Actions {
        var actions = Actions()
        self.removeClosed()
        guard !self.isClosing else { return actions }
        let oldest = ContinuousClock.now.advanced(by: .zero - self.configuration.idleTimeout)
        while self.open > self.configuration.minimumConnections, let first = self.idle.first, first.since < oldest {
            actions.close.append(self.idle.removeFirst().connection)
        }
        let missing = min(self.configuration.minimumConnections, self.limit) - self.open
        // After a failure one attempt at a time is enough to find out that the server is back.
        let wanted = self.failures > 0 ? min(missing, 1) : missing
        actions.openers = max(0, wanted - self.opening)
        self.opening += actions.openers
        if self.failures > 0 { self.probe(&actions) }
        return actions
    }

    mutating func startClosing() -> Actions {
        var actions = Actions()
        self.isClosing = true
        actions.close = self.idle.map(\.connection)
        self.idle = []
        self.drain(&actions)
        return actions
    }

    /// Registers someone who wants to know when nothing is out any more.
    mutating func addDrainer(_ drainer: CheckedContinuation<Void, Never>) -> Actions {
        self.drainers.append(drainer)
        var actions = Actions()
        self.drain(&actions)
        return actions
    }

    mutating func takeDrainers() -> Actions {
        defer { self.drainers = [] }
        return Actions(drained: self.drainers)
    }

    // MARK: Parts

    private mutating func popIdle() -> Connection? {
        while let last = self.idle.popLast() {
            if last.connection.isUsable { return last.connection }
        }
        return nil
    }

    private mutating func place(_ connection: Connection, _ actions: inout Actions) {
        if !self.waiting.isEmpty {
            self.leased += 1
            actions.resume.append((self.waiting.removeFirst(), .success(connection)))
        } else if self.isClosing {
            actions.close.append(connection)
        } else {
            self.idle.append(Idle(connection: connection, since: .now))
        }
    }

    /// How old the last failed attempt may be for the server to count as unreachable still.
    private static let longestIgnorance: Duration = .seconds(15)

    /// Whether there is no connection, and none could be opened for half of the time that a task waits for one.
    ///
    /// Until then tasks wait, so that a short restart of the server costs no error. From then on they are refused at once,
    /// while the pool goes on trying.
    private var isUnreachable: Bool {
        guard self.open == 0, let failing else { return false }
        return failing.lowerBound.duration(to: failing.upperBound) >= self.configuration.acquireTimeout / 2
            && failing.upperBound.duration(to: .now) <= Self.longestIgnorance
    }

    /// Tries to connect where nothing else does, though nobody waits.
    private mutating func probe(_ actions: inout Actions) {
        guard self.opening == 0, self.open == 0, self.limit > 0 else { return }
        self.opening = 1
        actions.openers += 1
    }

    private mutating func openMore(_ actions: inout Actions) {
        let room = self.limit - self.open - self.opening
        let wanted = self.failures > 0 ? (self.opening > 0 ? 0 : 1) : self.waiting.count - self.opening
        let count = self.waiting.isEmpty ? 0 : max(0, min(room, wanted))
        self.opening += count
        actions.openers += count
    }

    /// Refuses everybody who waits.
    private mutating func refuseAll(_ error: PostgresError, _ actions: inout Actions) {
        actions.resume += self.waiting.map { ($0, .failure(error)) }
        self.waiting = []
    }

    private mutating func drain(_ actions: inout Actions) {
        guard self.isDrained else { return }
        actions.drained += self.takeDrainers().drained
    }

    /// A refusal: the server's fault when there is no connection at all, the load's otherwise.
    private func refusal(_ text: String) -> PostgresError {
        guard self.open == 0 else { return PostgresError(.overloaded, text) }
        let reason = self.lastFailure?.message ?? "no connection to the database could be opened in time"
        return PostgresError(.unavailable, reason)
    }
}
