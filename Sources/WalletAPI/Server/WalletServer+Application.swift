public import Hummingbird
import Logging

extension WalletServer {
    /// Builds the application that listens, without the drain that ``run()`` adds.
    ///
    /// - Returns: The application.
    public func buildApplication() -> Application<WalletResponder> {
        self.listener.application(
            answering: WalletResponder(router: self.buildRouter().buildResponder()),
            on: ListenAddress(host: self.configuration.host, port: self.configuration.port),
            onListening: self.onListening
        )
    }

    /// Builds the application of the operator pages; nil if they have no address of their own or are disabled.
    ///
    /// - Returns: The application.
    public func buildOperatorApplication() -> Application<WalletResponder>? {
        guard let address = self.configuration.operatorPages, let add = self.operatorPages else { return nil }
        let router = self.outerRouter()
        add(router, self.operatorResponder())
        router.add(middleware: MethodNotAllowedMiddleware(routes: RouteTable(router)))
        return self.listener.application(
            answering: WalletResponder(router: router.buildResponder()),
            on: address
        ) { port in
            self.logger.info(
                "the operators' pages are available",
                metadata: ["host": "\(address.host)", "port": "\(port)"]
            )
        }
    }

    private var listener: HTTPListener {
        HTTPListener(configuration: self.configuration, refusals: self.refusals, logger: self.logger)
    }
}
