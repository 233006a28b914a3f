import NIOCore

/// The connection below a stream: notices that the client hung up, and can be cut.
///
/// A client that hangs up shows by closing its side; a vanished one shows by the system's timeout for what it leaves
/// unconfirmed, which every heartbeat starts again.
struct StreamConnection: Sendable {
    private let channel: any Channel
    private let hangUp = HangUpHandler()
    private let stall: Duration

    init(_ channel: any Channel, stall: Duration) {
        self.channel = channel
        self.stall = stall
    }

    /// Watches the connection from now on.
    ///
    /// - Parameter onEnd: Called once the connection is closed.
    func attach(onEnd: @escaping @Sendable () -> Void) {
        self.channel.pipeline.addHandler(self.hangUp).whenFailure { _ in onEnd() }
        self.channel.closeFuture.whenComplete { _ in onEnd() }
        #if os(Linux)
            // TCP_USER_TIMEOUT; connections that are not TCP refuse it and need it not.
            let milliseconds = Int(clamping: self.stall.components.seconds * 1_000)
            let option = ChannelOptions.Types.SocketOption(level: .tcp, name: .init(rawValue: 18))
            self.channel.setOption(option, value: milliseconds).whenFailure { _ in }
        #endif
    }

    /// Leaves the connection to the next request.
    func release() {
        self.channel.pipeline.removeHandler(self.hangUp).whenFailure { _ in }
    }

    /// Closes the connection, whatever waits to be written.
    func cut() {
        self.channel.close(promise: nil)
    }
}

/// Closes a connection whose other side has closed.
private final class HangUpHandler: ChannelInboundHandler, RemovableChannelHandler, Sendable {
    typealias InboundIn = NIOAny

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event { return context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }
}
