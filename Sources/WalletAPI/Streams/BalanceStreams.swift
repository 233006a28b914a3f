import HTTPTypes
import Hummingbird
import JSON
import NIOCore
import ServiceLifecycle
import Synchronization
import Wallet

/// Streams a user's balance as it changes.
///
/// - `GET /balance/stream` (user): server-sent events
struct BalanceStreamRoutes {
    static let path = "/balance/stream"

    let wallet: Wallet
    let streams: BalanceStreams

    func add(to group: some RouterMethods<UserRequestContext>) {
        group.get(RouterPath(Self.path), use: self.stream)
    }

    @Sendable
    private func stream(_ request: Request, _ context: UserRequestContext) async throws -> Response {
        let seat = try await self.streams.open(
            context.bearer,
            in: self.wallet.environment(of: context.user, in: request),
            after: request.headers[.lastEventID],
            on: context.channel
        )
        return Response(
            status: .ok,
            headers: [.contentType: "text/event-stream", .cacheControl: "no-store", .accelBuffering: "no"],
            body: ResponseBody { writer in try await seat.stream.write(to: &writer) }
        )
    }
}

/// The process's balance streams: counts them, keeps them alive and ends them.
///
/// One timer serves all streams, so that an idle stream needs no task of its own.
final class BalanceStreams: Service {
    private struct State: Sendable {
        var streams: [Int: BalanceStream] = [:]
        var counts: [UserID: Int] = [:]
        var nextID = 0
        var isClosed = false
    }

    /// The time that a shutdown waits for pending writes.
    private static let patience: Duration = .seconds(1)

    private let changes: BalanceChanges
    private let limits: StreamLimits
    private let state = Mutex(State())

    init(changes: BalanceChanges, limits: StreamLimits) {
        self.changes = changes
        self.limits = limits
    }

    /// Opens a stream for a token's user.
    ///
    /// - Parameters:
    ///   - bearer: The token's user and the token's remaining validity, which limits the stream.
    ///   - environment: The environment of the user's wallet.
    ///   - lastEventID: The id of the last event that the client received, if it sent one.
    ///   - channel: The connection to write to.
    /// - Returns: The slot that keeps the stream open.
    /// - Throws: ``Problem`` 429 `too-many-streams`, 503 `overloaded` or `not-ready`; `WalletError` 503 if the database
    ///   is unavailable.
    func open(
        _ bearer: Bearer,
        in environment: WalletEnvironment,
        after lastEventID: String?,
        on channel: any Channel
    ) async throws -> StreamSlot {
        let stream = BalanceStream(
            connection: StreamConnection(channel, stall: self.limits.stall),
            endsAt: .now + bearer.remaining,
            lastEventID: lastEventID
        )
        let seat = try self.seat(stream, of: bearer.user)
        seat.following = try await self.changes.follow(bearer.caller, in: environment) { stream.receive($0) }
        return seat
    }

    /// Keeps the streams alive until the service stops, and then ends them, so that they do not delay the shutdown.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            let pause = min(self.limits.heartbeat / 10, .seconds(1))
            while !Task.isCancelled {
                // A cancelled sleep ends the loop.
                try? await Task.sleep(for: pause)
                let now = ContinuousClock.now
                for stream in self.state.withLock({ Array($0.streams.values) }) { stream.tick(at: now, self.limits) }
            }
        }
        let streams = self.state.withLock { state in
            state.isClosed = true
            return Array(state.streams.values)
        }
        for stream in streams { stream.end() }
        await self.cutOff(streams)
    }

    /// Gives clients a moment to receive pending writes, and then closes the connections that are still writing.
    private func cutOff(_ streams: [BalanceStream]) async {
        let deadline = ContinuousClock.now + Self.patience
        while streams.contains(where: \.isWriting), ContinuousClock.now < deadline, !Task.isCancelled {
            // A cancelled sleep ends the loop.
            try? await Task.sleep(for: .milliseconds(20))
        }
        for stream in streams where stream.isWriting { stream.cut() }
    }

    private func seat(_ stream: BalanceStream, of user: UserID) throws -> StreamSlot {
        let id = try self.state.withLock { state in
            guard !state.isClosed else {
                throw Problem(.serviceUnavailable, "not-ready", "The service is stopping.", retryAfter: 5)
            }
            guard state.streams.count < self.limits.total else {
                throw Problem(
                    .serviceUnavailable,
                    "overloaded",
                    "The service has too many open streams.",
                    retryAfter: 30
                )
            }
            guard state.counts[user, default: 0] < self.limits.perUser else {
                throw Problem(
                    .tooManyRequests,
                    "too-many-streams",
                    "The user can have at most \(self.limits.perUser) streams. Close one first.",
                    members: ["maximum": JSONValue(integerLiteral: self.limits.perUser)],
                    retryAfter: 30
                )
            }
            let id = state.nextID
            state.nextID += 1
            state.streams[id] = stream
            state.counts[user, default: 0] += 1
            return id
        }
        return StreamSlot(stream) { [weak self] in self?.leave(id, user) }
    }

    private func leave(_ id: Int, _ user: UserID) {
        self.state.withLock { state in
            state.streams[id] = nil
            let count = state.counts[user, default: 1] - 1
            state.counts[user] = count > 0 ? count : nil
        }
    }
}

/// Keeps a stream open and counted for the lifetime of this object.
///
/// So the slot is freed even if the response was never written.
final class StreamSlot: Sendable {
    let stream: BalanceStream
    private let onLeave: @Sendable () -> Void
    private let held = Mutex<BalanceSubscription?>(nil)

    init(_ stream: BalanceStream, onLeave: @escaping @Sendable () -> Void) {
        self.stream = stream
        self.onLeave = onLeave
    }

    deinit {
        self.onLeave()
    }

    /// The subscription that delivers the updates.
    var following: BalanceSubscription? {
        get { self.held.withLock { $0 } }
        set { self.held.withLock { $0 = newValue } }
    }
}

/// Limits the balance streams and defines their heartbeat.
public struct StreamLimits: Sendable, Equatable {
    /// The maximum number of streams in this process.
    public var total: Int
    /// The maximum number of streams of one user.
    public var perUser: Int
    /// The silence after which a comment is sent, so that neither the client nor a proxy closes the connection as dead.
    public var heartbeat: Duration

    /// The time after which a client that receives nothing is disconnected.
    var stall: Duration { self.heartbeat * 2 }

    /// Creates limits.
    ///
    /// - Parameters:
    ///   - total: The maximum number of streams in this process.
    ///   - perUser: The maximum number of streams of one user.
    ///   - heartbeat: The silence after which a comment is sent.
    public init(total: Int = 10_000, perUser: Int = 10, heartbeat: Duration = .seconds(15)) {
        self.total = total
        self.perUser = perUser
        self.heartbeat = heartbeat
    }
}
