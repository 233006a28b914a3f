public import Logging
public import ServiceLifecycle
import Synchronization
public import Tracing

/// A bounded set of connections that tasks take turns with.
///
/// Connections are opened when they are needed and again after the server was gone, so the pool works as soon as it is
/// created. ``run()`` adds upkeep (idle connections, the minimum) and the orderly shutdown; a command that ends by
/// itself may leave it out and call ``close()``.
///
/// Anyone who waited longest is served first. Waiting is bounded in number and time: beyond that a task gets code
/// `overloaded`, or `unavailable` when not a single connection could be opened. Once none could be for half of that time,
/// tasks are refused at once until one can.
public final class Pool: Service, Sendable {
    /// The limits the pool was created with.
    public let configuration: PoolConfiguration

    let state: Mutex<PoolState>
    private let logger: Logger
    private let metrics: PoolMetrics
    /// Notes each statement.
    let statements: StatementObserver
    private let ids = Mutex<UInt64>(0)

    /// Creates a pool; nothing is opened yet.
    ///
    /// - Parameters:
    ///   - configuration: How many connections, where to, and how long to wait.
    ///   - logger: Gets lines about lost and regained connections.
    ///   - tracer: Gets a span for each statement that is run inside of another span; nil for no spans.
    public init(configuration: PoolConfiguration, logger: Logger, tracer: (any Tracer)? = nil) {
        self.configuration = configuration
        self.state = Mutex(PoolState(configuration: configuration))
        self.logger = logger
        self.metrics = PoolMetrics(configuration)
        self.statements = StatementObserver(labels: configuration.labels, tracer: tracer)
    }

    /// Gets a span for each statement; nil for no spans.
    public var tracer: (any Tracer)? { self.statements.tracer }

    /// Keeps the pool in shape until shutdown, then lets leased work finish and closes every connection.
    ///
    /// - Throws: Nothing; declared by the protocol.
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

    /// Takes no new work, lets what is leased and what waits finish, and closes every connection.
    ///
    /// A task that is cancelled does not wait for that; connections then close as they come back.
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

    /// Takes a connection out of the pool, waiting for one if need be.
    func lease() async throws(PostgresError) -> Connection {
        let id = self.ids.withLock { id in
            id += 1
            return id
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                self.carryOut(self.state.withLock { $0.lease(id: id, continuation: continuation) })
                self.startTimer(for: id, self.configuration.acquireTimeout)
                // The cancellation may have come before there was anything to take out of the queue.
                if Task.isCancelled { self.expire(id, isCancelled: true) }
            }
        } onCancel: {
            self.expire(id, isCancelled: true)
        }
        return try result.get()
    }

    /// Puts a connection back, rolled back if its user left a transaction open.
    func release(_ connection: Connection) async {
        var isClean = connection.isUsable && connection.transaction == .idle
        if connection.isUsable, [.open, .failed].contains(connection.transaction) {
            isClean = await self.rollBack(connection)
        }
        self.carryOut(self.state.withLock { $0.release(connection, isClean: isClean) })
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
        // Not in the name of anyone who happens to wait: a connection is everybody's, and so are its troubles.
        for _ in 0..<actions.openers { Task.detached { await self.open() } }
        for drainer in actions.drained { drainer.resume() }
    }

    // MARK: Opening

    /// Opens one connection, trying again for as long as somebody waits for it.
    private func open() async {
        while true {
            // Fails only when cancelled, which nobody does to this task.
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
        self.logger.warning("the database did not answer in time; the connection is given up")
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
