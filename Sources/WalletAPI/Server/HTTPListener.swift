import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import Metrics
import NIOCore
import Stores
import Wallet

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Accepts connections and applies the limits to each of them.
struct HTTPListener: Sendable {
    let configuration: WalletServerConfiguration
    let refusals: RefusalMetrics
    let logger: Logger

    /// Builds the application that listens.
    ///
    /// - Parameters:
    ///   - responder: The responder that answers the requests.
    ///   - address: The address to listen on.
    ///   - onListening: A closure that is called with the port once the server accepts connections.
    /// - Returns: The application.
    func application<Responder: HTTPResponder<AppRequestContext>>(
        answering responder: Responder,
        on address: ListenAddress,
        onListening: @escaping @Sendable (Int) async -> Void
    ) -> Application<Responder> {
        let connections = self.configuration.limits.connections
        let metrics = ConnectionMetrics()
        return Application(
            responder: responder,
            server: .http1(configuration: self.channelConfiguration(metrics)),
            configuration: ApplicationConfiguration(
                address: .hostname(address.host, port: address.port),
                serverName: "credit-wallet",
                // With address reuse, two sockets could receive the same free port, and only one of them could listen.
                reuseAddress: address.port != 0,
                availableConnectionsDelegate: connections > 0 ? MaximumAvailableConnections(connections) : nil
            ),
            onServerRunning: { channel in
                await self.guardConnections(of: channel, metrics)
                await onListening(channel.localAddress?.port ?? 0)
            },
            logger: self.logger
        )
    }

    /// Adds the connection guard as soon as the framework provides the listening channel.
    private func guardConnections(of channel: any Channel, _ metrics: ConnectionMetrics) async {
        let (limits, logger) = (self.configuration.limits, self.logger)
        do {
            try await channel.eventLoop.submit {
                try channel.pipeline.syncOperations.addHandler(
                    ConnectionGuard(limits: limits, metrics: metrics, logger: logger),
                    position: .first
                )
            }.get()
        } catch {
            // The channel is already closed, so there are no connections to guard.
            logger.error("the limits on connections could not be applied", metadata: ["error": "\(error)"])
        }
    }

    /// The limits of each connection.
    private func channelConfiguration(_ metrics: ConnectionMetrics) -> HTTP1Channel.Configuration {
        let (limits, refusals, logger) = (self.configuration.limits, self.refusals, self.logger)
        return HTTP1Channel.Configuration(
            additionalChannelHandlers: [
                RequestGuard(limits: limits, refusals: refusals, connections: metrics, logger: logger)
            ],
            idleTimeout: .seconds(Int64(self.configuration.idleTimeout)),
            httpDecoderConfiguration: HTTP1Channel.Configuration.DecoderConfiguration(
                maxHeaderFieldSize: limits.headerBytes,
                maxHeaderListSize: limits.headerBytes,
                maxHeaderFieldCount: limits.headerCount
            )
        )
    }
}

/// Limits the connections of each address and handles failed accepts, on the listening channel.
///
/// The handler closes a new connection if its address already has the maximum number. If the process lacks files or
/// memory to accept a connection, the handler stops accepting for a second. Otherwise the pending connection would wake
/// the event loop continuously.
private final class ConnectionGuard: ChannelInboundHandler {
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
    private var spares = SpareFiles()
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
        self.reportFailure(failure)
        self.rest(context)
    }

    func handlerAdded(context: ChannelHandlerContext) { self.spares.open() }

    func handlerRemoved(context: ChannelHandlerContext) { self.spares.close() }

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
        self.spares.close()
        self.acceptLater(context)
    }

    /// Reads from the listening channel again once there are files for connections.
    private func acceptLater(_ context: ChannelHandlerContext) {
        _ = context.eventLoop.assumeIsolated().scheduleTask(in: Self.pause) {
            guard context.channel.isActive else { return }
            guard self.spares.open() else {
                self.reportFailure()
                return self.acceptLater(context)
            }
            self.isPaused = false
            do {
                try context.channel.syncOptions?.setOption(.autoRead, value: true)
                context.channel.read()
            } catch {
                context.fireErrorCaught(error)
            }
        }
    }

    private func reportFailure(_ error: IOError? = nil) {
        self.metrics.failures.increment()
        self.log("connections cannot be accepted and must wait", error)
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

/// Files that the process gives up while it cannot accept connections, so that its other parts can open files.
///
/// Under load, libdispatch reads the state of its threads from `/proc` each second. It ends the process if it cannot open
/// a file there.
private struct SpareFiles {
    private static let count = 4

    private var files: [FileHandle] = []

    /// Opens the files, if another one stays free for a connection.
    ///
    /// - Returns: Whether the files are open.
    @discardableResult
    mutating func open() -> Bool {
        while self.files.count <= Self.count {
            guard let file = FileHandle(forReadingAtPath: "/dev/null") else {
                self.close()
                return false
            }
            self.files.append(file)
        }
        self.files.removeLast()
        return true
    }

    /// Closes the files.
    mutating func close() { self.files = [] }
}

/// Counts refused connections and failed accepts.
struct ConnectionMetrics: Sendable {
    /// Connections closed because the client sent nothing.
    let silent = Self.refused("silent")
    /// Connections closed because their address already had the maximum number.
    let crowded = Self.refused("address")
    /// Accepts that failed because the process lacked files or memory.
    let failures = Counter(label: "wallet_http_accept_failures_total")

    private static func refused(_ reason: String) -> Counter {
        Counter(label: "wallet_http_connections_refused_total", dimensions: [("reason", reason)])
    }
}
