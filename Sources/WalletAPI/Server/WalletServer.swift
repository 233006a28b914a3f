public import Hummingbird
public import HummingbirdCore
package import Logging
import NIOCore
public import ServiceLifecycle
public import StoreSync
package import Stores
package import Wallet

/// Serves the wallet over HTTP.
///
/// Run it as the last service of a group, after the pool. On a graceful shutdown, `/ready` fails first, then the server
/// stops accepting connections, then the current requests finish. Only then does the group stop the services that the
/// requests need.
public struct WalletServer: Service {
    /// Receives the stores' messages; a worker retries the messages that could not be applied at once.
    public let inbox: Inbox
    let configuration: WalletServerConfiguration
    let wallet: Wallet
    /// The same wallet for CSV exports, on separate connections.
    let operators: Wallet
    let tokens: TokenVerifier
    let stores: StoreClients
    let pushes: PushVerifier?
    let tracing: (any MiddlewareProtocol<Request, Response, AppRequestContext>)?
    let local: (any MiddlewareProtocol<Request, Response, AppRequestContext>)?
    let dialects: [any APIDialect]
    let additions: @Sendable (Router<AppRequestContext>) -> Void
    let operatorPages: (@Sendable (Router<AppRequestContext>) -> Void)?
    let observer: (any RequestObserver)?
    let logger: Logger
    let onListening: @Sendable (Int) async -> Void
    var drain: DrainGate
    /// The gate that opens once the wallet is usable; nil if the service starts only with a usable wallet.
    var gate: CellGate?
    let streams: BalanceStreams
    let refusals = RefusalMetrics()

    /// Creates a server.
    ///
    /// - Parameters:
    ///   - configuration: The addresses and limits.
    ///   - wallet: The wallet to serve.
    ///   - operators: The same wallet for CSV exports, on separate connections; nil uses the connections of `wallet`.
    ///   - changes: The source of changed balances; run it in the same service group.
    ///   - tokens: The verifier of bearer tokens.
    ///   - stores: The store clients; requests for a store that is not enabled are refused.
    ///   - pushes: The verifier of Google Pub/Sub pushes; nil refuses all pushes.
    ///   - tracing: The middleware that traces requests; nil disables traces.
    ///   - local: The middleware that refuses requests from other origins than this machine's programs; nil accepts
    ///     all.
    ///   - dialects: The second forms of the API for apps that were written for another server.
    ///   - additions: A closure that adds routes of this process, such as the demo page of `dev`.
    ///   - operatorPages: A closure that adds the operator pages; nil for none.
    ///   - observer: The observer of requests; nil for none.
    ///   - logger: The logger for requests and failures.
    ///   - onListening: A closure that is called with the port once the server accepts connections.
    package init(
        configuration: WalletServerConfiguration,
        wallet: Wallet,
        operators: Wallet? = nil,
        changes: BalanceChanges,
        tokens: TokenVerifier,
        stores: StoreClients,
        pushes: PushVerifier? = nil,
        tracing: (any MiddlewareProtocol<Request, Response, AppRequestContext>)? = nil,
        local: (any MiddlewareProtocol<Request, Response, AppRequestContext>)? = nil,
        dialects: [any APIDialect] = [],
        additions: @escaping @Sendable (Router<AppRequestContext>) -> Void = { _ in },
        operatorPages: (@Sendable (Router<AppRequestContext>) -> Void)? = nil,
        observer: (any RequestObserver)? = nil,
        logger: Logger,
        onListening: @escaping @Sendable (Int) async -> Void = { _ in }
    ) {
        self.inbox = Inbox(wallet: wallet, stores: stores, logger: logger)
        self.configuration = configuration
        self.wallet = wallet
        self.operators = operators ?? wallet
        self.tokens = tokens
        self.stores = stores
        self.pushes = pushes
        self.tracing = tracing
        self.local = local
        self.dialects = dialects
        self.additions = additions
        self.operatorPages = operatorPages
        self.observer = observer
        self.logger = logger
        self.onListening = onListening
        self.drain = DrainGate(delay: configuration.drainDelay)
        self.streams = BalanceStreams(changes: changes, limits: configuration.streams)
    }

    /// The text of `openapi.yaml`.
    public static var openAPI: String { EmbeddedOpenAPI.yaml }

    /// Returns the slug of the problem that a request was refused with, for traces.
    ///
    /// - Parameter error: The error that the router threw.
    /// - Returns: The problem's slug; nil for other errors.
    public static func problem(in error: any Error) -> String? { (error as? Problem)?.slug }

    /// The service that acknowledges delivered purchases to Google Play; nil if that store is not enabled.
    public var acknowledger: Acknowledger? {
        self.stores.googlePlay.map { Acknowledger(wallet: self.wallet, googlePlay: $0, logger: self.logger) }
    }

    /// The service that compares the ledger with the stores.
    public var reconciler: Reconciler {
        Reconciler(wallet: self.wallet, stores: self.stores, logger: self.logger)
    }

    /// The reader of missed App Store notifications; nil if the App Store Server API is not configured.
    public var notificationHistory: NotificationHistory? {
        guard let api = self.stores.serverAPI, let verifier = self.stores.signedData else { return nil }
        return NotificationHistory(
            inbox: self.inbox,
            wallet: self.wallet,
            api: api,
            verifier: verifier,
            logger: self.logger
        )
    }

    /// Serves until the group shuts down.
    ///
    /// - Throws: An error if the address cannot be bound.
    public func run() async throws {
        // A group stops its services in reverse order: first the gate closes, then the streams end, because a drain
        // could not wait for them, and then the application stops.
        let pages: [any Service] = self.buildOperatorApplication().map { [$0] } ?? []
        let services: [any Service] = pages + [self.buildApplication(), self.streams, self.drain]
        let configuration = ServiceGroupConfiguration(
            // Without a name, the group logs the whole service value, including its secrets.
            services: services.map { .init(service: $0, serviceName: "\(type(of: $0))") },
            logger: self.logger
        )
        try await ServiceGroup(configuration: configuration).run()
    }

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
        add(router)
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

/// Answers requests with the router; each stream request runs in a task of its own.
///
/// A task keeps the memory of its deepest call until it ends, and a connection's task lives as long as the connection.
/// With thousands of open streams, the memory of their token verification would dominate.
public struct WalletResponder: HTTPResponder {
    private let router: RouterResponder<AppRequestContext>

    init(router: RouterResponder<AppRequestContext>) {
        self.router = router
    }

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - context: The request's context.
    /// - Returns: The response.
    /// - Throws: An error that no route and no middleware turned into a response.
    public func respond(to request: Request, context: AppRequestContext) async throws -> Response {
        guard request.uri.path == BalanceStreamRoutes.path else {
            return try await self.router.respond(to: request, context: context)
        }
        async let response = self.router.respond(to: request, context: context)
        return try await response
    }
}
