import NIOCore

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
