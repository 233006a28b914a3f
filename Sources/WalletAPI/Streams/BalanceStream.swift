import Foundation
import Hummingbird
import NIOCore
import NIOHTTPTypes
import Synchronization
import Wallet

/// A client's balance stream: writes one event at a time to the connection.
///
/// The stream has no queue. For a slow client, it keeps only the newest balance and at most one heartbeat. It has no
/// task either: each update writes the next event, and each completed write the one after it.
final class BalanceStream: Sendable {
    typealias Instant = ContinuousClock.Instant

    private struct State: Sendable {
        var isOpened = false
        var balance: Balance?
        /// The entity tag of the balance that the client has.
        var heldTag: String?
        var isHeartbeatDue = false
        var isEnded = false
        /// The time at which the last write began or ended.
        var touchedAt: Instant
        var isWriting = false
        /// The response that waits for the end of the stream; nil before it begins.
        var response: CheckedContinuation<Void, Never>?

        /// Returns the bytes to write next, or nil.
        mutating func next() -> ByteBuffer? {
            guard self.isOpened else {
                self.isOpened = true
                return ServerSentEvent.opening
            }
            guard !self.isEnded else { return nil }
            if let balance = self.balance {
                self.balance = nil
                let tag = balance.entityTag
                if tag != self.heldTag {
                    self.heldTag = tag
                    return ServerSentEvent.balance(balance)
                }
            }
            return self.isHeartbeatDue ? ServerSentEvent.heartbeat : nil
        }

        mutating func touch(isWriting: Bool) {
            self.isWriting = isWriting
            self.touchedAt = .now
            // Every write keeps the connection alive, so no heartbeat is due.
            self.isHeartbeatDue = false
        }
    }

    private let connection: StreamConnection
    private let endsAt: Instant
    private let state: Mutex<State>

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
    }

    /// Receives an update of the wallet.
    func receive(_ news: BalanceUpdate) {
        switch news {
        case .balance(let balance):
            self.state.withLock { $0.balance = balance }
            self.proceed()
        case .gone: self.end()
        }
    }

    /// A Boolean value that indicates whether a write is waiting for the client.
    var isWriting: Bool { self.state.withLock { $0.isWriting } }

    /// Ends the stream after the current write.
    func end() {
        self.state.withLock { $0.isEnded = true }
        self.proceed()
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
        if !isWriting, silence >= limits.heartbeat { self.proceed() }
    }

    /// Sends events until the stream ends or the client disconnects.
    ///
    /// The frames of an asynchronous function live as long as its call, here as long as the stream. Therefore this
    /// function only waits, and callbacks write.
    ///
    /// - Parameter writer: The writer of the response's body, which has written the head.
    /// - Throws: An error if the client has disconnected.
    func write(to writer: inout any ResponseBodyWriter) async throws {
        self.connection.attach { [weak self] in self?.end() }
        defer { self.connection.release() }
        await withCheckedContinuation { response in
            self.state.withLock { $0.response = response }
            self.proceed()
        }
        try await writer.finish(nil)
    }

    /// Writes the next event unless a write is pending; resumes the response at the end.
    private func proceed() {
        let (bytes, ended) = self.state.withLock { state -> (ByteBuffer?, CheckedContinuation<Void, Never>?) in
            guard !state.isWriting, let response = state.response else { return (nil, nil) }
            if let bytes = state.next() {
                state.touch(isWriting: true)
                return (bytes, nil)
            }
            guard state.isEnded else { return (nil, nil) }
            state.response = nil
            return (nil, response)
        }
        if let bytes { self.connection.write(bytes).whenComplete(self.written) }
        ended?.resume()
    }

    private func written(_ result: Result<Void, any Error>) {
        self.state.withLock { state in
            state.touch(isWriting: false)
            if case .failure = result { state.isEnded = true }
        }
        self.proceed()
    }
}

/// Formats events as defined in the HTML standard's section on server-sent events.
private enum ServerSentEvent {
    /// The number of milliseconds that a client waits before it reconnects.
    private static let retry = 5_000

    /// The first bytes of a stream.
    static let opening = ByteBuffer(string: "retry: \(Self.retry)\n\n")
    /// A comment that keeps the connection alive.
    static let heartbeat = ByteBuffer(string: ": keep-alive\n\n")

    /// Returns a balance event with the entity tag of `GET /balance` as its id.
    static func balance(_ balance: Balance) -> ByteBuffer {
        var buffer = ByteBuffer(string: "id: \(balance.entityTag)\nevent: balance\ndata: ")
        // The JSON is one line: line breaks in texts are escaped.
        buffer.writeBytes(balance.json().bytes)
        buffer.writeString("\n\n")
        return buffer
    }
}

/// The connection of a stream: detects that the client disconnected, and can be closed.
///
/// A client that closes its side is detected at once. A client that disappeared is detected by the system's timeout for
/// unacknowledged data, which each heartbeat restarts.
struct StreamConnection: Sendable {
    private let channel: any Channel
    private let hangUp = HangUpHandler()
    private let stall: Duration

    init(_ channel: any Channel, stall: Duration) {
        self.channel = channel
        self.stall = stall
    }

    /// Starts to watch the connection.
    ///
    /// - Parameter onEnd: A closure that is called once the connection is closed.
    func attach(onEnd: @escaping @Sendable () -> Void) {
        self.channel.pipeline.addHandler(self.hangUp).whenFailure { _ in onEnd() }
        self.channel.closeFuture.whenComplete { _ in onEnd() }
        #if os(Linux)
            // TCP_USER_TIMEOUT; other connections than TCP refuse the option and do not need it.
            let milliseconds = Int(clamping: self.stall.components.seconds * 1_000)
            let option = ChannelOptions.Types.SocketOption(level: .tcp, name: .init(rawValue: 18))
            self.channel.setOption(option, value: milliseconds).whenFailure { _ in }
        #endif
    }

    /// Writes a part of the response's body.
    ///
    /// - Parameter bytes: The part.
    /// - Returns: A future that succeeds once the system has taken all bytes.
    func write(_ bytes: ByteBuffer) -> EventLoopFuture<Void> {
        self.channel.writeAndFlush(HTTPResponsePart.body(bytes))
    }

    /// Stops watching, so that the connection can serve the next request.
    func release() {
        self.channel.pipeline.removeHandler(self.hangUp).whenFailure { _ in }
    }

    /// Closes the connection, even if writes are pending.
    func cut() {
        self.channel.close(promise: nil)
    }
}

/// Closes a connection when the client closes its side.
private final class HangUpHandler: ChannelInboundHandler, RemovableChannelHandler, Sendable {
    typealias InboundIn = NIOAny

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event { return context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }
}
