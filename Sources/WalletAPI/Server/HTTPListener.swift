import Hummingbird
import HummingbirdCore
import Logging
import NIOCore

/// Takes connections, and holds each of them to what clients may ask.
struct HTTPListener: Sendable {
    let configuration: WalletServerConfiguration
    let refusals: RefusalMetrics
    let logger: Logger

    /// Builds the application that listens.
    ///
    /// - Parameters:
    ///   - responder: Answers the requests.
    ///   - address: Where to listen.
    ///   - onListening: Called with the port once connections are taken.
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
                // Sockets that reuse addresses may be given one free port twice, and then only one of them may listen.
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

    /// Watches over the connections from the first moment that the framework lets into the channel that listens.
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
            // It is closed already, so nothing is left to watch over.
            logger.error("connections are not watched over", metadata: ["error": "\(error)"])
        }
    }

    /// What each connection is held to.
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
