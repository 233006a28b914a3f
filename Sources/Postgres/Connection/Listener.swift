public import Logging
public import ServiceLifecycle
import Synchronization

/// Learns `NOTIFY` on a connection of its own, and says when it may have missed some.
///
/// PostgreSQL keeps no notification for those who are away, so after every (re)connection, and when a consumer is too
/// slow for its buffer, an ``Event/resync`` comes: read the tables again. Needs a session of its own, so behind a
/// transaction pooler give it a URL that leads to the server itself.
public final class Listener: Service, Sendable {
    /// What a consumer learns.
    public enum Event: Hashable, Sendable {
        /// Listening has (re)started, or notifications were dropped: what happened before may have been missed.
        case resync
        /// A notification.
        case notification(Notification)
    }

    private struct State {
        var nextID = 0
        var consumers: [Int: AsyncStream<Event>.Continuation] = [:]
        var isListening = false
        var isFinished = false
    }

    private let configuration: ConnectionConfiguration
    private let channels: [String]
    private let logger: Logger
    private let heartbeat: Duration
    private let maximumBackoff: Duration
    private let state = Mutex(State())

    /// Creates a listener; it learns nothing before ``run()``.
    ///
    /// - Parameters:
    ///   - configuration: How to reach the server.
    ///   - channels: The channels to listen on.
    ///   - heartbeat: How often the connection is tried when nothing comes.
    ///   - maximumBackoff: The longest pause between two attempts to connect.
    ///   - logger: Gets lines about lost and regained connections.
    public init(
        configuration: ConnectionConfiguration,
        channels: [String],
        heartbeat: Duration = .seconds(30),
        maximumBackoff: Duration = .seconds(5),
        logger: Logger
    ) {
        self.configuration = configuration
        self.channels = channels
        self.heartbeat = heartbeat
        self.maximumBackoff = maximumBackoff
        self.logger = logger
    }

    /// Returns a stream of the notifications from now on; it ends when ``run()`` does.
    ///
    /// - Parameter capacity: How many events may wait; beyond that the oldest go and a `resync` comes.
    /// - Returns: The stream.
    public func events(capacity: Int = 1_024) -> AsyncStream<Event> {
        let (stream, continuation) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingNewest(capacity))
        let id = self.state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        // Called with a lock of the consumer's task held, which anyone who yields may wait for: so nobody yields, or
        // calls anything else of a continuation, while holding the lock here.
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0.consumers[id] = nil }
        }
        self.state.withLock { $0.consumers[id] = continuation }
        if self.state.withLock({ $0.isListening }) { continuation.yield(.resync) }
        if self.state.withLock({ $0.isFinished }) { continuation.finish() }
        return stream
    }

    /// Listens until shutdown, reconnecting whenever the connection is lost.
    ///
    /// - Throws: Nothing; declared by the protocol.
    public func run() async throws {
        await cancelWhenGracefulShutdown {
            var failures = 0
            while !Task.isCancelled {
                do throws(PostgresError) {
                    try await self.listen { failures = 0 }
                } catch {
                    failures += 1
                    self.noteLoss(error, failures: failures)
                }
                self.state.withLock { $0.isListening = false }
                await self.pause(failures)
            }
        }
        self.finish()
    }

    /// Holds one connection for as long as it lasts.
    private func listen(onStart: () -> Void) async throws(PostgresError) {
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        let events = Connection.Events(
            onNotification: { [weak self] in self?.emit(.notification($0)) },
            onClose: { end.finish() }
        )
        let connection = try await Connection.connect(self.configuration, logger: self.logger, events: events)
        defer { connection.close() }
        for channel in self.channels {
            try await connection.execute(script: "LISTEN " + Query.quoted(channel))
        }
        onStart()
        self.startEmitting()
        let failure = await withTaskGroup(of: PostgresError.self) { group in
            group.addTask {
                for await _ in ended {}
                return PostgresError(.unavailable, "the connection to the database was lost")
            }
            group.addTask { await self.keepTrying(connection) }
            defer { group.cancelAll() }
            return await group.next()
        }
        if let failure, !Task.isCancelled { throw failure }
    }

    /// Tries the connection now and then, since a peer that vanished says nothing.
    private func keepTrying(_ connection: Connection) async -> PostgresError {
        while true {
            do {
                try await Task.sleep(for: self.heartbeat)
            } catch {
                return PostgresError(.closed, "the listener was stopped")
            }
            do throws(PostgresError) {
                try await connection.execute(script: "SELECT 1")
            } catch {
                return error
            }
        }
    }

    private func pause(_ failures: Int) async {
        let pause = min(self.maximumBackoff, .milliseconds(50 * (1 << min(failures, 10))))
        // A cancelled pause ends the loop around it.
        try? await Task.sleep(for: pause * Double.random(in: 0.5...1))
    }

    private func noteLoss(_ error: PostgresError, failures: Int) {
        guard failures == 1 else { return }
        self.logger.warning("notifications from the database are interrupted", metadata: ["error": "\(error)"])
    }

    /// Informs every consumer that listening has begun; a later consumer is informed when it is added.
    private func startEmitting() {
        let consumers = self.state.withLock { state in
            state.isListening = true
            return Array(state.consumers.values)
        }
        for consumer in consumers { consumer.yield(.resync) }
    }

    private func emit(_ event: Event) {
        for consumer in self.state.withLock({ Array($0.consumers.values) }) {
            guard case .dropped = consumer.yield(event) else { continue }
            consumer.yield(.resync)
        }
    }

    private func finish() {
        let consumers = self.state.withLock { state in
            state.isFinished = true
            return Array(state.consumers.values)
        }
        for consumer in consumers { consumer.finish() }
    }
}
