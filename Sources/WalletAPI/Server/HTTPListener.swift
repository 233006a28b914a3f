import Hummingbird
import HummingbirdCore
import Logging
import NIOCore

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
