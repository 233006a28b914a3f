import Hummingbird
import NIOCore
import Synchronization
import Wallet

/// A client's balance stream: the next event to write, and the end of the stream.
///
/// The stream has no queue. For a slow client, it keeps only the newest balance and at most one heartbeat.
final class BalanceStream: Sendable {
    typealias Instant = ContinuousClock.Instant

    private struct State: Sendable {
        var balance: Balance?
        /// The entity tag of the balance that the client has.
        var heldTag: String?
        var isHeartbeatDue = false
        var isEnded = false
        /// The time at which the last write began or ended.
        var touchedAt: Instant
        var isWriting = false
    }

    private let connection: StreamConnection
    private let endsAt: Instant
    private let state: Mutex<State>
    private let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

    /// Creates a stream.
    ///
    /// - Parameters:
    ///   - connection: The connection to write to.
    ///   - endsAt: The latest end of the stream.
    ///   - lastEventID: The id of the last event that the client received, if it sent one.
    init(connection: StreamConnection, endsAt: Instant, lastEventID: String?) {
        self.connection = connection
        self.endsAt = endsAt
        self.state = Mutex(State(heldTag: lastEventID, touchedAt: .now))
        (self.wakes, self.wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Receives an update of the wallet.
    func receive(_ news: BalanceUpdate) {
        switch news {
        case .balance(let balance):
            self.state.withLock { $0.balance = balance }
            self.wake.yield()
        case .gone: self.end()
        }
    }

    /// A Boolean value that indicates whether a write is waiting for the client.
    var isWriting: Bool { self.state.withLock { $0.isWriting } }

    /// Ends the stream after the current write.
    func end() {
        self.state.withLock { $0.isEnded = true }
        self.wake.yield()
    }

    /// Closes the connection, even during a write.
    func cut() {
        self.connection.cut()
    }

    /// Checks the time: sends a heartbeat, ends an expired stream, and closes the connection of a stalled client.
    func tick(at now: Instant, _ limits: StreamLimits) {
        // A stalled client is closed even if its stream has ended, because the end could not be written either.
        if now >= self.endsAt { self.end() }
        let (isWriting, silence) = self.state.withLock { state in
            let silence = now - state.touchedAt
            if !state.isWriting, silence >= limits.heartbeat { state.isHeartbeatDue = true }
            return (state.isWriting, silence)
        }
        if isWriting, silence >= limits.stall { return self.connection.cut() }
        if !isWriting, silence >= limits.heartbeat { self.wake.yield() }
    }

    /// Writes events until the stream ends or the client disconnects.
    ///
    /// The values that an asynchronous function uses live as long as its call, here as long as the stream. Therefore
    /// this function only writes, and other functions do the rest.
    ///
    /// - Parameter writer: The writer of the response's body.
    /// - Throws: An error if the client has disconnected.
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

    /// Returns the bytes to write next, or nil.
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
            // Every write keeps the connection alive, so no heartbeat is due.
            state.isHeartbeatDue = false
        }
    }
}
