/// The state of a ``Pool``: its connections and its waiting tasks.
///
/// It only makes decisions; the pool carries them out.
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
    }

    /// The actions for the pool to carry out after it has released the lock.
    struct Actions {
        var resume: [(Waiting, Result<Connection, PostgresError>)] = []
        var startsTimer = false
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
    /// The waiting tasks; the one that has waited longest is first.
    private(set) var waiting: [Waiting] = []
    private var hasTimer = false
    private(set) var failures = 0
    private(set) var lastFailure: PostgresError?
    /// The times of the first and the last failed attempt to connect since the last success.
    private var failing: ClosedRange<ContinuousClock.Instant>?
    private(set) var isClosing = false
    private var drainers: [CheckedContinuation<Void, Never>] = []

    init(configuration: PoolConfiguration) {
        self.configuration = configuration
    }

    private var open: Int { self.idle.count + self.leased }
    /// The number of connections that the pool may have now.
    private var limit: Int {
        max(0, self.configuration.maximumConnections - max(0, self.givenUp - self.configuration.spareConnections))
    }
    /// A Boolean value that indicates whether all connections have been given up, so that none will be free soon.
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
            actions.resume = [(waiter, .failure(self.refusal("every connection was abandoned")))]
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
        actions.startsTimer = !self.hasTimer
        self.hasTimer = true
        self.openMore(&actions)
        return actions
    }

    /// Leases an idle connection if there is one and no task waits.
    mutating func takeIdle() -> Connection? {
        guard self.waiting.isEmpty, let connection = self.popIdle() else { return nil }
        self.leased += 1
        return connection
    }

    /// Removes a cancelled waiter from the queue; does nothing if the waiter is no longer in the queue.
    mutating func cancel(_ id: UInt64) -> Actions {
        guard let index = self.waiting.firstIndex(where: { $0.id == id }) else { return Actions() }
        return self.refuse(
            [self.waiting.remove(at: index)],
            PostgresError(.cancelled, "the task was cancelled while it waited for a database connection")
        )
    }

    /// Refuses the tasks that have waited too long.
    ///
    /// - Returns: The time when the next task will have waited too long, `nil` if none waits; and the actions.
    mutating func expire() -> (next: ContinuousClock.Instant?, actions: Actions) {
        let limit = self.configuration.acquireTimeout
        let late = self.waiting.prefix { $0.since + limit <= .now }
        self.waiting.removeFirst(late.count)
        self.hasTimer = !self.waiting.isEmpty
        let actions = self.refuse(late, self.refusal("no database connection became available in time"))
        return (self.waiting.first.map { $0.since + limit }, actions)
    }

    private mutating func refuse(_ waiters: some Sequence<Waiting>, _ error: PostgresError) -> Actions {
        var actions = Actions(resume: waiters.map { ($0, .failure(error)) })
        self.drain(&actions)
        return actions
    }

    /// Takes a connection back: gives it to the first waiter, keeps it idle, or closes it.
    mutating func release(_ connection: Connection, isClean: Bool) -> Actions {
        var actions = Actions()
        self.leased -= 1
        if isClean, connection.isUsable {
            self.place(connection, &actions)
        } else {
            actions.close.append(connection)
            self.openMore(&actions)
        }
        if self.isStuck { self.refuseAll(self.refusal("every connection was abandoned"), &actions) }
        self.drain(&actions)
        return actions
    }

    // MARK: Opening

    /// The randomized pause before the next attempt to connect.
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

    /// Records a failed attempt.
    ///
    /// - Returns: Whether the opener tries again because tasks still wait, and the actions for the pool.
    mutating func openFailed(_ error: PostgresError) -> (goesOn: Bool, actions: Actions) {
        self.failures += 1
        self.lastFailure = error
        let now = ContinuousClock.now
        // If the last failure is too old, the server may have been reachable since, so a new period begins.
        let earlier = self.failing.flatMap { $0.upperBound.duration(to: now) <= Self.longestIgnorance ? $0 : nil }
        self.failing = (earlier?.lowerBound ?? now)...now
        var actions = Actions()
        if self.isUnreachable { self.refuseAll(error, &actions) }
        guard self.waiting.isEmpty || self.opening > 1 else { return (true, actions) }
        self.opening -= 1
        self.drain(&actions)
        return (false, actions)
    }

    /// Records that a connection is given up; its caller still holds it.
    mutating func noteGivenUp() {
        self.givenUp += 1
    }

    /// Removes a connection whose session has ended.
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

    /// Closes connections that were idle for too long, and opens connections up to the minimum.
    mutating func upkeep() -> Actions {
        var actions = Actions()
        self.removeClosed()
        guard !self.isClosing else { return actions }
        let oldest = ContinuousClock.now.advanced(by: .zero - self.configuration.idleTimeout)
        while self.open > self.configuration.minimumConnections, let first = self.idle.first, first.since < oldest {
            actions.close.append(self.idle.removeFirst().connection)
        }
        let missing = min(self.configuration.minimumConnections, self.limit) - self.open
        // After a failure, one attempt at a time is enough to detect that the server is back.
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

    /// Adds a continuation to resume when the pool has no leased connections and no waiting tasks.
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

    /// The maximum age of the last failed attempt for which the server still counts as unreachable.
    private static let longestIgnorance: Duration = .seconds(15)

    /// A Boolean value that indicates whether there is no connection, and none could be opened for half of the acquire
    /// timeout.
    ///
    /// Before that, tasks wait, so that a short restart of the server causes no errors. After that, tasks are refused
    /// at once while the pool keeps trying.
    private var isUnreachable: Bool {
        guard self.open == 0, let failing else { return false }
        return failing.lowerBound.duration(to: failing.upperBound) >= self.configuration.acquireTimeout / 2
            && failing.upperBound.duration(to: .now) <= Self.longestIgnorance
    }

    /// Starts an attempt to connect if none is running and there is no connection, even if no task waits.
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

    /// Refuses all waiting tasks.
    private mutating func refuseAll(_ error: PostgresError, _ actions: inout Actions) {
        actions.resume += self.waiting.map { ($0, .failure(error)) }
        self.waiting = []
    }

    private mutating func drain(_ actions: inout Actions) {
        guard self.isDrained else { return }
        actions.drained += self.takeDrainers().drained
    }

    /// Returns the error for a refused task: `unavailable` if the pool has no connection, otherwise `overloaded`.
    private func refusal(_ text: String) -> PostgresError {
        guard self.open == 0 else { return PostgresError(.overloaded, text) }
        let reason = self.lastFailure?.message ?? "no connection to the database could be opened in time"
        return PostgresError(.unavailable, reason)
    }
}
