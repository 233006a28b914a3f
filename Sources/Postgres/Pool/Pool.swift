public import Logging
import Metrics
public import ServiceLifecycle
import Synchronization
public import Tracing

/// A bounded set of connections that tasks share.
///
/// The pool opens connections on demand, and again after the server was unreachable, so it works as soon as it is
/// created. ``run()`` adds maintenance (idle connections, the minimum) and an orderly shutdown. A short-lived command
/// may omit ``run()`` and call ``close()``.
///
/// The task that has waited longest is served first. Waiting is bounded in number and time. Beyond these limits a task
/// gets code `overloaded`, or `unavailable` if the pool has no connection. If no connection could be opened for half of
/// the acquire timeout, tasks are refused at once until one can be opened.
public final class Pool: Service, Sendable {
    /// The configuration that the pool was created with.
    public let configuration: PoolConfiguration

    let state: Mutex<PoolState>
    private let logger: Logger
    private let metrics: PoolMetrics
    /// Measures each statement.
    let statements: StatementObserver
    private let ids = Mutex<UInt64>(0)
    /// The pool whose work comes first; nil if this pool yields to none.
    private let preferred: Pool?
    /// When each leased connection was leased, if the pool yields to another one.
    private let leases = Mutex<[ObjectIdentifier: ContinuousClock.Instant]>([:])

    /// Creates a pool without opening a connection.
    ///
    /// - Parameters:
    ///   - configuration: The pool's size, the server's address and the limits.
    ///   - logger: Receives lines about lost and regained connections.
    ///   - tracer: Receives a span for each statement that runs inside another span; `nil` for no spans.
    ///   - preferred: The pool that this one yields to; `nil` for none.
    public init(
        configuration: PoolConfiguration,
        logger: Logger,
        tracer: (any Tracer)? = nil,
        yieldingTo preferred: Pool? = nil
    ) {
        self.configuration = configuration
        self.preferred = preferred
        self.state = Mutex(PoolState(configuration: configuration))
        self.logger = logger
        self.metrics = PoolMetrics(configuration)
        self.statements = StatementObserver(labels: configuration.labels, tracer: tracer)
    }

    /// The tracer that receives a span for each statement; `nil` for no spans.
    public var tracer: (any Tracer)? { self.statements.tracer }

    /// Maintains the pool until shutdown, then waits for leased connections and closes every connection.
    ///
    /// - Throws: Nothing; the protocol requires the declaration.
    public func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                self.carryOut(self.state.withLock { $0.upkeep() })
                do {
                    try await Task.sleep(for: .seconds(1))
                } catch {
                    break
                }
            }
        }
        await self.close()
    }

    /// Refuses new work, lets leased and waiting work finish, and closes every connection.
    ///
    /// A cancelled task returns without waiting for this; each connection then closes when it is released.
    public func close() async {
        self.carryOut(self.state.withLock { $0.startClosing() })
        await withTaskCancellationHandler {
            await withCheckedContinuation { drainer in
                self.carryOut(self.state.withLock { $0.addDrainer(drainer) })
                if Task.isCancelled { self.stopDraining() }
            }
        } onCancel: {
            self.stopDraining()
        }
    }

    /// The number of idle connections, of connections in use, of connections given up whose statement the server has
    /// not ended, and of tasks that wait for a connection.
    public var status: (idle: Int, leased: Int, givenUp: Int, waiting: Int) {
        self.state.withLock { ($0.idle.count, $0.leased, $0.givenUp, $0.waiting.count) }
    }

    // MARK: Leasing

    /// Leases a connection and waits for one if necessary.
    func lease() async throws(PostgresError) -> Connection {
        let id = self.ids.withLock { id in
            id += 1
            return id
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                self.carryOut(self.state.withLock { $0.lease(id: id, continuation: continuation) })
                self.startTimer(for: id, self.configuration.acquireTimeout)
                // The task may have been cancelled before its waiter was in the queue.
                if Task.isCancelled { self.expire(id, isCancelled: true) }
            }
        } onCancel: {
            self.expire(id, isCancelled: true)
        }
        let connection = try result.get()
        if self.preferred != nil { self.leases.withLock { $0[ObjectIdentifier(connection)] = .now } }
        return connection
    }

    /// Returns a connection to the pool, if necessary after a rest; rolls back a transaction that was left open.
    func release(_ connection: Connection) async {
        var isClean = connection.isUsable && connection.transaction == .idle
        if connection.isUsable, [.open, .failed].contains(connection.transaction) {
            isClean = await self.rollBack(connection)
        }
        let rest = self.rest(of: connection)
        guard rest > .zero else { return self.putBack(connection, isClean: isClean) }
        // Detached, because the caller does not wait for the rest, and its cancellation must not end it.
        Task.detached {
            // Throws only if the task is cancelled, which never happens to this task.
            try? await Task.sleep(for: rest)
            self.putBack(connection, isClean: isClean)
        }
    }

    private func putBack(_ connection: Connection, isClean: Bool) {
        self.carryOut(self.state.withLock { $0.release(connection, isClean: isClean) })
    }

    /// Returns how long a connection must rest before it is leased again.
    private func rest(of connection: Connection) -> Duration {
        guard let preferred, let since = self.leases.withLock({ $0.removeValue(forKey: ObjectIdentifier(connection)) })
        else { return .zero }
        guard preferred.status.leased > 0 else { return .zero }
        return min(since.duration(to: .now) * 3, .seconds(1))
    }

    private func stopDraining() {
        self.carryOut(self.state.withLock { $0.takeDrainers() })
    }

    private func rollBack(_ connection: Connection) async -> Bool {
        do {
            _ = try await connection.command("ROLLBACK")
            return connection.transaction == .idle
        } catch {
            self.logger.debug("a connection could not be rolled back", metadata: ["error": "\(error)"])
            return false
        }
    }

    private func startTimer(for id: UInt64, _ timeout: Duration) {
        guard self.state.withLock({ state in state.waiting.contains { $0.id == id } }) else { return }
        let timer = Task {
            do {
                try await Task.sleep(for: timeout)
            } catch {
                return
            }
            self.expire(id, isCancelled: false)
        }
        if !self.state.withLock({ $0.setTimer(timer, for: id) }) { timer.cancel() }
    }

    private func expire(_ id: UInt64, isCancelled: Bool) {
        self.carryOut(self.state.withLock { $0.expire(id, isCancelled: isCancelled) })
    }

    private func carryOut(_ actions: PoolState.Actions) {
        for (waiter, result) in actions.resume {
            waiter.timer?.cancel()
            self.metrics.noteWait(since: waiter.since)
            waiter.continuation.resume(returning: result)
        }
        for connection in actions.close { connection.close() }
        // Detached, because a connection serves all tasks: its opening must not run in the context of one waiting task.
        for _ in 0..<actions.openers { Task.detached { await self.open() } }
        for drainer in actions.drained { drainer.resume() }
    }

    // MARK: Opening

    /// Opens one connection; retries while tasks wait for it.
    private func open() async {
        while true {
            // Throws only if the task is cancelled, which never happens to this task.
            try? await Task.sleep(for: self.state.withLock { $0.backoff })
            do throws(PostgresError) {
                let events = Connection.Events(
                    onGiveUp: { [weak self] in self?.noteGivenUp() },
                    onClose: { [weak self] wasGivenUp in
                        guard let self else { return }
                        self.carryOut(self.state.withLock { $0.closed(wasGivenUp: wasGivenUp) })
                    }
                )
                let start = ContinuousClock.now
                let connection = try await Connection.connect(
                    self.configuration.connection,
                    logger: self.logger,
                    events: events
                )
                self.metrics.noteOpened(since: start)
                self.noteRecovery()
                return self.carryOut(self.state.withLock { $0.opened(connection) })
            } catch {
                let (goesOn, actions) = self.state.withLock { $0.openFailed(error) }
                self.metrics.noteFailure()
                self.noteFailure(error)
                self.carryOut(actions)
                guard goesOn else { return }
            }
        }
    }

    private func noteGivenUp() {
        self.state.withLock { $0.noteGivenUp() }
        self.metrics.noteGivenUp()
        self.logger.warning("the database did not respond in time; the connection is abandoned")
    }

    private func noteFailure(_ error: PostgresError) {
        guard self.state.withLock({ $0.failures }) == 1 else { return }
        self.logger.warning("the database cannot be reached", metadata: ["error": "\(error)"])
    }

    private func noteRecovery() {
        guard self.state.withLock({ $0.failures }) > 0 else { return }
        self.logger.info("the database can be reached again")
    }
}

/// The metrics that a pool records as it works; the numbers of connections come from ``Pool/status``.
private struct PoolMetrics: Sendable {
    private let opening: Timer
    private let failures: Counter
    private let givenUp: Counter
    private let wait: Timer

    init(_ configuration: PoolConfiguration) {
        let labels = [("db.client.connection.pool.name", configuration.name)] + configuration.labels.map { ($0, $1) }
        self.opening = Timer(label: "db_client_connection_create_time_seconds", dimensions: labels)
        self.failures = Counter(label: "wallet_db_connection_failures_total", dimensions: labels)
        self.givenUp = Counter(label: "wallet_db_statements_given_up_total", dimensions: labels)
        self.wait = Timer(label: "db_client_connection_wait_time_seconds", dimensions: labels)
    }

    func noteOpened(since start: ContinuousClock.Instant) { self.opening.record(duration: start.duration(to: .now)) }
    func noteGivenUp() { self.givenUp.increment() }
    func noteFailure() { self.failures.increment() }
    func noteWait(since start: ContinuousClock.Instant) { self.wait.record(duration: start.duration(to: .now)) }
}
