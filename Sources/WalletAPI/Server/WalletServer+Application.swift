public import Hummingbird
import HummingbirdCore
import NIOCore

extension WalletServer {
    /// Builds the application that listens; without the drain that ``run()`` adds.
    ///
    /// - Returns: The application.
    public func buildApplication() -> Application<WalletResponder> {
        let connections = self.configuration.limits.connections
        return Application(
            responder: WalletResponder(router: self.buildRouter().buildResponder()),
            server: .http1(configuration: self.channelConfiguration),
            configuration: ApplicationConfiguration(
                address: .hostname(self.configuration.host, port: self.configuration.port),
                serverName: "credit-wallet",
                availableConnectionsDelegate: connections > 0 ? MaximumAvailableConnections(connections) : nil
            ),
            onServerRunning: { channel in await self.onListening(channel.localAddress?.port ?? 0) },
            logger: self.logger
        )
    }

    /// What each connection is held to.
    private var channelConfiguration: HTTP1Channel.Configuration {
        let limits = self.configuration.limits
        let logger = self.logger
        return HTTP1Channel.Configuration(
            additionalChannelHandlers: [RequestGuard(limits: limits, logger: logger)],
            idleTimeout: .seconds(Int64(self.configuration.idleTimeout)),
            httpDecoderConfiguration: HTTP1Channel.Configuration.DecoderConfiguration(
                maxHeaderFieldSize: limits.headerBytes,
                maxHeaderListSize: limits.headerBytes,
                maxHeaderFieldCount: limits.headerCount
            )
        )
    }
}
