public import Hummingbird
package import Logging
public import ServiceLifecycle
import Wallet

/// Serves several wallets on one address.
///
/// Run it as the last service of a group, after all services that the wallets need, like a ``WalletServer``.
public struct CellServer: Service {
    let configuration: WalletServerConfiguration
    let cells: [WalletCell]
    let tracing: (any MiddlewareProtocol<Request, Response, AppRequestContext>)?
    let dialects: [any APIDialect]
    let additions: @Sendable (Router<AppRequestContext>) -> Void
    let observer: (any RequestObserver)?
    let logger: Logger
    let onListening: @Sendable (Int) async -> Void
    let drain: DrainGate
    let refusals = RefusalMetrics()

    /// Creates a server.
    ///
    /// - Parameters:
    ///   - configuration: The addresses and limits.
    ///   - cells: The wallets, with unique names and issuers.
    ///   - tracing: The middleware that traces requests that belong to no wallet; nil disables traces.
    ///   - dialects: The second forms of the API, the same as those of the wallets.
    ///   - additions: A closure that adds routes that need no wallet.
    ///   - observer: The observer of requests that belong to no wallet; nil for none.
    ///   - logger: The logger for those requests and for failures.
    ///   - onListening: A closure that is called with the port once the server accepts connections.
    package init(
        configuration: WalletServerConfiguration,
        cells: [WalletCell],
        tracing: (any MiddlewareProtocol<Request, Response, AppRequestContext>)? = nil,
        dialects: [any APIDialect] = [],
        additions: @escaping @Sendable (Router<AppRequestContext>) -> Void = { _ in },
        observer: (any RequestObserver)? = nil,
        logger: Logger,
        onListening: @escaping @Sendable (Int) async -> Void = { _ in }
    ) {
        let drain = DrainGate(delay: configuration.drainDelay)
        self.configuration = configuration
        self.cells = cells.map { cell in
            // All wallets listen on one address, so they share one drain.
            var server = cell.server
            server.drain = drain
            server.gate = cell.gate
            return WalletCell(name: cell.name, server: server, issuers: cell.issuers, gate: cell.gate)
        }
        self.tracing = tracing
        self.dialects = dialects
        self.additions = additions
        self.observer = observer
        self.logger = logger
        self.onListening = onListening
        self.drain = drain
    }

    /// Builds the application that listens, without the drain that ``run()`` adds.
    ///
    /// - Returns: The application.
    public func buildApplication() -> Application<CellResponder> {
        HTTPListener(configuration: self.configuration, refusals: self.refusals, logger: self.logger).application(
            answering: self.responder(),
            on: ListenAddress(host: self.configuration.host, port: self.configuration.port),
            onListening: self.onListening
        )
    }

    /// Serves until the group shuts down.
    ///
    /// - Throws: An error if an address cannot be bound.
    public func run() async throws {
        let pages: [any Service] = self.cells.compactMap { $0.server.buildOperatorApplication() }
        let streams: [any Service] = self.cells.map(\.server.streams)
        let services = pages + [self.buildApplication()] + streams + [self.drain]
        let configuration = ServiceGroupConfiguration(
            // Without a name, the group logs the whole service value, including its secrets.
            services: services.map { .init(service: $0, serviceName: "\(type(of: $0))") },
            logger: self.logger
        )
        try await ServiceGroup(configuration: configuration).run()
    }

    /// Creates the responder that routes each request to its wallet.
    func responder() -> CellResponder {
        let router = RequestChain(
            configuration: self.configuration,
            tracing: self.tracing,
            drain: self.drain,
            observer: self.observer,
            crossOrigins: self.crossOrigins,
            dialects: self.dialects,
            refusals: self.refusals
        ).router()
        HealthRoutes().add(to: router)
        CellReadyRoute(drain: self.drain, cells: self.cells).add(to: router)
        self.additions(router)
        let routes = RouteTable(router)
        router.add(middleware: MethodNotAllowedMiddleware(routes: routes))
        router.add(middleware: CellMissingMiddleware())
        return CellResponder(self.cells, front: router, routes: routes)
    }

    /// Answers preflight requests of web pages, which have no token.
    ///
    /// For the actual request, the wallet decides whether the page may read the response.
    private var crossOrigins: CrossOriginMiddleware? {
        let origins = Set(self.cells.flatMap(\.server.configuration.corsOrigins))
        return self.cells.first?.server.crossOrigins(origins.sorted())
    }
}

/// One of several wallets that a process serves.
public struct WalletCell: Sendable {
    /// The wallet's name in paths, metrics and logs.
    public let name: String
    /// The server that answers the wallet's requests; its own address is not used.
    public let server: WalletServer
    /// The exact `iss` values of the tokens that belong to the wallet.
    public let issuers: [String]
    /// The gate that opens once the wallet is usable.
    public let gate: CellGate

    /// Creates a wallet of a multi-wallet process.
    ///
    /// - Parameters:
    ///   - name: The wallet's name in paths, metrics and logs.
    ///   - server: The server that answers the wallet's requests.
    ///   - issuers: The exact `iss` values of the tokens that belong to the wallet.
    ///   - gate: The gate that opens once the wallet is usable.
    public init(name: String, server: WalletServer, issuers: [String], gate: CellGate) {
        self.name = name
        self.server = server
        self.issuers = issuers
        self.gate = gate
    }
}
