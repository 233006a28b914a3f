public import Hummingbird
import HummingbirdCore
import NIOCore

extension WalletServer {
    /// Builds the application that listens; without the drain that ``run()`` adds.
    ///
    /// - Returns: The application.
    public func buildApplication() -> Application<WalletResponder> {
        Application(
            responder: WalletResponder(router: self.buildRouter().buildResponder()),
            server: .http1(
                configuration: HTTP1Channel.Configuration(idleTimeout: .seconds(Int64(self.configuration.idleTimeout)))
            ),
            configuration: ApplicationConfiguration(
                address: .hostname(self.configuration.host, port: self.configuration.port),
                serverName: "credit-wallet"
            ),
            onServerRunning: { channel in await self.onListening(channel.localAddress?.port ?? 0) },
            logger: self.logger
        )
    }
}
