import Hummingbird
import NIOCore
import ServiceLifecycle
import Synchronization
import Wallet

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
