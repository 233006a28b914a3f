public import Hummingbird
public import Logging
public import ServiceLifecycle

/// Serves several wallets on one address.
///
/// Run it as the last service of a group, after all services that the wallets need, like a ``WalletServer``.
public struct CellServer: Service {
    let configuration: WalletServerConfiguration
    let cells: [WalletCell]
    let tracing: (any MiddlewareProtocol<Request, Response, AppRequestContext>)?
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
    ///   - additions: A closure that adds routes that need no wallet.
    ///   - observer: The observer of requests that belong to no wallet; nil for none.
    ///   - logger: The logger for those requests and for failures.
    ///   - onListening: A closure that is called with the port once the server accepts connections.
    public init(
        configuration: WalletServerConfiguration,
        cells: [WalletCell],
        tracing: (any MiddlewareProtocol<Request, Response, AppRequestContext>)? = nil,
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
}
