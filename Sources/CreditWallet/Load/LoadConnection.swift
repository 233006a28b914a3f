import NIOCore
import NIOTLS

/// A keep-alive connection of the load: sends one request at a time and waits for its response.
final class LoadConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The request that waits for a response.
    private(set) var step: LoadStep?

    private let driver: LoadDriver
    private let isSecure: Bool
    /// The promise that succeeds once requests can be sent; with TLS, after the handshake.
    private let opening: EventLoopPromise<Void>
    private var isOpen = false
    private var context: ChannelHandlerContext?
    private var received = ByteBuffer()
    private var toSend = ByteBuffer()
    private var lossReason = "connection lost"

    init(driver: LoadDriver, isSecure: Bool, opening: EventLoopPromise<Void>) {
        self.driver = driver
        self.isSecure = isSecure
        self.opening = opening
    }

    func send(_ step: LoadStep, _ requests: LoadRequests) {
        guard let context = self.context else { return }
        self.step = step
        requests.write(step, into: &self.toSend)
        context.writeAndFlush(self.wrapOutboundOut(self.toSend), promise: nil)
    }

    func close(because reason: String) {
        self.lossReason = reason
        self.context?.close(promise: nil)
    }

    func channelActive(context: ChannelHandlerContext) {
        self.context = context
        if !self.isSecure { self.opened() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted = event as? TLSUserEvent { self.opened() }
        context.fireUserInboundEventTriggered(event)
    }

    private func opened() {
        self.isOpen = true
        self.opening.succeed()
        self.driver.opened(self)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = self.unwrapInboundIn(data)
        if self.received.readableBytes == 0 { self.received = bytes } else { self.received.writeBuffer(&bytes) }
        do {
            guard let answer = try LoadAnswer.take(from: &self.received) else { return }
            guard let step = self.step, self.received.readableBytes == 0 else { throw LoadAnswer.Unreadable() }
            self.step = nil
            if answer.closes { context.close(promise: nil) }
            self.driver.answered(step, answer, on: self)
        } catch {
            self.close(because: "unreadable response")
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        let step = self.step
        self.step = nil
        self.opening.fail(ChannelError.eof)
        if self.isOpen { self.driver.closed(self, awaiting: step, because: self.lossReason) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.opening.fail(error)
        context.close(promise: nil)
    }
}
