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

/// Limits the connections of each address and handles failed accepts, on the listening channel.
///
/// The handler closes a new connection if its address already has the maximum number. If the process lacks files or
/// memory to accept a connection, the handler stops accepting for a second. Otherwise the pending connection would wake
/// the event loop continuously.
final class ConnectionGuard: ChannelInboundHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel

    private static let pause: TimeAmount = .seconds(1)
    /// The minimum time between two log entries with the same message.
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
            self.log("a connection was refused: its address has the maximum number of connections")
            return connection.close(promise: nil)
        }
        self.open[client, default: 0] += 1
        let this = NIOLoopBound(self, eventLoop: context.eventLoop)
        connection.closeFuture.hop(to: context.eventLoop).whenComplete { _ in this.value.closed(client) }
        context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let failure = error as? IOError, !Self.isFatal(failure) else { return context.fireErrorCaught(error) }
        // A client that disconnected before the accept does not affect the server.
        guard failure.errnoCode != ECONNABORTED else { return }
        self.metrics.failures.increment()
        self.log("connections cannot be accepted and must wait", failure)
        self.rest(context)
    }

    private func closed(_ client: InternetAddress) {
        guard let count = self.open[client] else { return }
        self.open[client] = count > 1 ? count - 1 : nil
    }

    /// Stops reading from the listening channel for a while, so that pending connections do not wake the event loop.
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

    /// Returns whether the error closes the listening channel; such an error must be reported to the service.
    private static func isFatal(_ error: IOError) -> Bool {
        ![ECONNABORTED, EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(error.errnoCode)
    }
}
