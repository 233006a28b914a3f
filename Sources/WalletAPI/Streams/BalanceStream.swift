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
        /// The tag of the balance that the client has.
        var heldTag: String?
        var isHeartbeatDue = false
        var isEnded = false
        /// When the last write began or ended.
        var touchedAt: Instant
        var isWriting = false
    }

    private let connection: StreamConnection
    private let endsAt: Instant
    private let state: Mutex<State>
    private let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

    /// Makes a stream that nothing has been written to.
    ///
    /// - Parameters:
    ///   - connection: What it is written to.
    ///   - endsAt: When it ends at the latest.
    ///   - lastEventID: What the client already has, if it says so.
    init(connection: StreamConnection, endsAt: Instant, lastEventID: String?) {
        self.connection = connection
        self.endsAt = endsAt
        self.state = Mutex(State(heldTag: lastEventID, touchedAt: .now))
        (self.wakes, self.wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Takes an update of the wallet.
    func receive(_ news: BalanceUpdate) {
        switch news {
        case .balance(let balance):
            self.state.withLock { $0.balance = balance }
            self.wake.yield()
        case .gone: self.end()
        }
    }

    /// Whether something is being written that the client has not taken yet.
    var isWriting: Bool { self.state.withLock { $0.isWriting } }

    /// Ends the stream once what is being written has been taken.
    func end() {
        self.state.withLock { $0.isEnded = true }
        self.wake.yield()
    }

    /// Closes the connection, whatever is being written.
    func cut() {
        self.connection.cut()
    }

    /// Looks at the clock: sends a heartbeat, ends what is over, cuts off who takes nothing.
    func tick(at now: Instant, _ limits: StreamLimits) {
        // Anyone who takes nothing is cut off also when the stream is over: its end could not be written either.
        if now >= self.endsAt { self.end() }
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
    /// What an asynchronous function works with lives as long as its call, here as long as the stream; so all but the
    /// writing happens elsewhere.
    ///
    /// - Parameter writer: Where to write.
    /// - Throws: When the client is gone.
    func write(to writer: inout any ResponseBodyWriter) async throws {
        self.connection.attach { [weak self] in self?.end() }
        defer { self.connection.release() }
        try await self.write(ServerSentEvent.opening, to: &writer)
        for await _ in self.wakes {
            while let bytes = try self.next() { try await self.write(bytes, to: &writer) }
            if self.isEnded { break }
        }
        try await writer.finish(nil)
    }

    private var isEnded: Bool { self.state.withLock { $0.isEnded } }

    /// What is to be written now, if anything.
    private func next() throws -> ByteBuffer? {
        try self.state.withLock { state in
            guard !state.isEnded else { return nil }
            if let balance = state.balance {
                state.balance = nil
                if balance.entityTag != state.heldTag {
                    state.heldTag = balance.entityTag
                    return try ServerSentEvent.balance(balance)
                }
            }
            guard state.isHeartbeatDue else { return nil }
            state.isHeartbeatDue = false
            return ServerSentEvent.heartbeat
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
