import Logging
import Metrics
import NIOCore
import Stores

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Watches over the taking of connections, on the channel that listens.
///
/// An address that has as many connections as it may gets no further one. While no connection can be taken, for want of
/// files or memory, none is tried for a second: the one that waits would wake the event loop again and again.
final class ConnectionGuard: ChannelInboundHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel

    private static let pause: TimeAmount = .seconds(1)
    /// How long nothing more is logged of what has been logged.
    private static let quiet: Duration = .seconds(60)

    private let limit: Int
    private let proxies: TrustedProxies
    private let metrics: ConnectionMetrics
    private let logger: Logger
    private var open: [InternetAddress: Int] = [:]
    private var isPaused = false
    private var lastLogged: [String: ContinuousClock.Instant] = [:]

    init(limits: HTTPLimits, metrics: ConnectionMetrics, logger: Logger) {
        self.limit = limits.connectionsPerAddress
        self.proxies = TrustedProxies(networks: limits.trustedProxies)
        self.metrics = metrics
        self.logger = logger
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let connection = self.unwrapInboundIn(data)
        guard self.limit > 0, let peer = connection.remoteAddress?.ipAddress.flatMap(InternetAddress.init(host:)),
            !self.proxies.isTrusted(peer)
        else { return context.fireChannelRead(data) }
        let client = peer.client
        guard self.open[client, default: 0] < self.limit else {
            self.metrics.crowded.increment()
            self.log("connections are refused: their address has as many as it may")
            return connection.close(promise: nil)
        }
        self.open[client, default: 0] += 1
        let this = NIOLoopBound(self, eventLoop: context.eventLoop)
        connection.closeFuture.hop(to: context.eventLoop).whenComplete { _ in this.value.closed(client) }
        context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let failure = error as? IOError, !Self.isFatal(failure) else { return context.fireErrorCaught(error) }
        // A client that was gone before it was taken is no reason to stop.
        guard failure.errnoCode != ECONNABORTED else { return }
        self.metrics.failures.increment()
        self.log("connections cannot be taken and have to wait", failure)
        self.rest(context)
    }

    private func closed(_ client: InternetAddress) {
        guard let count = self.open[client] else { return }
        self.open[client] = count > 1 ? count - 1 : nil
    }

    /// Stops listening for a while: that alone keeps the event loop from being woken for what waits.
    private func rest(_ context: ChannelHandlerContext) {
        guard !self.isPaused else { return }
        do {
            try context.channel.syncOptions?.setOption(.autoRead, value: false)
        } catch {
            return context.fireErrorCaught(error)
        }
        self.isPaused = true
        _ = context.eventLoop.assumeIsolated().scheduleTask(in: Self.pause) {
            self.isPaused = false
            guard context.channel.isActive else { return }
            do {
                try context.channel.syncOptions?.setOption(.autoRead, value: true)
                context.channel.read()
            } catch {
                context.fireErrorCaught(error)
            }
        }
    }

    private func log(_ message: String, _ error: IOError? = nil) {
        let now = ContinuousClock.now
        if let last = self.lastLogged[message], now - last < Self.quiet { return }
        self.lastLogged[message] = now
        self.logger.error("\(message)", metadata: error.map { ["error": "\($0)"] })
    }

    /// Whether the channel that listens is closed for the error, which anyone who runs it must hear of.
    private static func isFatal(_ error: IOError) -> Bool {
        ![ECONNABORTED, EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(error.errnoCode)
    }
}
