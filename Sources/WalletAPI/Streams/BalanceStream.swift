import Hummingbird
import NIOCore
import Synchronization
import Wallet

/// One client's stream of balances: what is to be written next, and when it ends.
///
/// Nothing queues up here. Of several balances that a slow client has not taken yet only the newest is kept, and of
/// several heartbeats one.
final class BalanceStream: Sendable {
    typealias Instant = ContinuousClock.Instant

    private struct State: Sendable {
        var balance: Balance?
        var isHeartbeatDue = false
        var isEnded = false
        /// When the last write began or ended.
        var touchedAt: Instant
        var isWriting = false
    }

    private enum Part {
        case balance(Balance)
        case heartbeat
        case end
    }

    private let connection: StreamConnection
    private let endsAt: Instant
    private let state: Mutex<State>
    private let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

    init(connection: StreamConnection, endsAt: Instant) {
        self.connection = connection
        self.endsAt = endsAt
        self.state = Mutex(State(touchedAt: .now))
        (self.wakes, self.wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Takes news of the wallet.
    func tell(_ news: BalanceNews) {
        switch news {
        case .balance(let balance):
            self.state.withLock { $0.balance = balance }
            self.wake.yield()
        case .gone: self.end()
        }
    }

    /// Ends the stream; what cannot be written at this moment is not waited for.
    func end() {
        let isWriting = self.state.withLock { state in
            state.isEnded = true
            return state.isWriting
        }
        if isWriting { self.connection.cut() }
        self.wake.yield()
    }

    /// Looks at the clock: sends a heartbeat, ends what is over, cuts off who takes nothing.
    func tick(at now: Instant, _ limits: StreamLimits) {
        if now >= self.endsAt { return self.end() }
        let (isWriting, silence) = self.state.withLock { state in
            let silence = now - state.touchedAt
            if !state.isWriting, silence >= limits.heartbeat { state.isHeartbeatDue = true }
            return (state.isWriting, silence)
        }
        if isWriting, silence >= limits.stall { return self.connection.cut() }
        if !isWriting, silence >= limits.heartbeat { self.wake.yield() }
    }

    /// Writes events until the stream ends or the client is gone.
    ///
    /// - Parameters:
    ///   - writer: Where to write.
    ///   - lastEventID: What the client already has, if it says so.
    /// - Throws: When the client is gone.
    func write(to writer: inout any ResponseBodyWriter, after lastEventID: String?) async throws {
        self.connection.attach { [weak self] in self?.end() }
        defer { self.connection.release() }
        var lastID = lastEventID
        try await self.write(ServerSentEvent.opening, to: &writer)
        for await _ in self.wakes {
            while let part = self.next() {
                switch part {
                case .end: return try await writer.finish(nil)
                case .heartbeat: try await self.write(ServerSentEvent.heartbeat, to: &writer)
                case .balance(let balance):
                    guard balance.entityTag != lastID else { continue }
                    lastID = balance.entityTag
                    try await self.write(ServerSentEvent.balance(balance), to: &writer)
                }
            }
        }
    }

    private func next() -> Part? {
        self.state.withLock { state in
            if state.isEnded { return .end }
            if let balance = state.balance {
                state.balance = nil
                return .balance(balance)
            }
            guard state.isHeartbeatDue else { return nil }
            state.isHeartbeatDue = false
            return .heartbeat
        }
    }

    private func write(_ bytes: ByteBuffer, to writer: inout any ResponseBodyWriter) async throws {
        self.touch(isWriting: true)
        try await writer.write(bytes)
        self.touch(isWriting: false)
    }

    private func touch(isWriting: Bool) {
        self.state.withLock { state in
            state.isWriting = isWriting
            state.touchedAt = .now
            // Whatever is written keeps the connection alive.
            state.isHeartbeatDue = false
        }
    }
}
