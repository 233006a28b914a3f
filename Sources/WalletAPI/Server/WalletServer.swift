public import Hummingbird
public import Logging
import NIOCore
public import ServiceLifecycle
public import StoreSync
public import Stores
public import Wallet

/// Serves the wallet over HTTP.
///
/// Run it as the last service of a group, after the pool: on a graceful shutdown `/ready` fails first, then no new
/// connection is taken, then the requests under way are finished, and only then the group stops what they need.
public struct WalletServer: Service {
    /// Takes the stores' messages in; a worker goes on with what it could not apply at once.
    public let inbox: Inbox
    let configuration: WalletServerConfiguration
    let wallet: Wallet
    /// The same wallet for the console and for lists as CSV, over connections of their own.
    let operators: Wallet
    let tokens: TokenVerifier
    let stores: StoreClients
    let pushes: PushVerifier?
    let tracing: (any MiddlewareProtocol<Request, Response, AppRequestContext>)?
    let local: (any MiddlewareProtocol<Request, Response, AppRequestContext>)?
    let additions: @Sendable (Router<AppRequestContext>) -> Void
    let operatorPages: (@Sendable (Router<AppRequestContext>, OperatorResponder) -> Void)?
    let observer: (any RequestObserver)?
    let logger: Logger
    let onListening: @Sendable (Int) async -> Void
    var drain: DrainGate
    /// Opens once the wallet can be used; nil where a service starts with that alone.
    var gate: CellGate?
    let streams: BalanceStreams
    let refusals = RefusalMetrics()

    /// Makes a server.
    ///
    /// - Parameters:
    ///   - configuration: Where to listen and what to limit.
    ///   - wallet: The wallet that is served.
    ///   - operators: The same wallet for the console and for lists as CSV, over connections of their own; nil to share
    ///     those of users.
    ///   - changes: Announces changed balances; to be run beside the server.
    ///   - tokens: What decides whose a bearer token is.
    ///   - stores: The ways to the stores; what is not enabled there is answered so.
    ///   - pushes: What decides whether Google's Pub/Sub sent a message; nil takes none.
    ///   - tracing: Puts each request into its trace, nil for no traces.
    ///   - local: Refuses what does not come from this machine's own programs, nil for a service to all.
    ///   - additions: Adds routes that only this process has, such as the demo page of `dev`.
    ///   - operatorPages: Adds the operators' pages, over what answers the operators' routes for them; nil for none.
    ///   - observer: Is given each request, nil for none.
    ///   - logger: Where requests and failures are logged.
    ///   - onListening: Called with the port once connections are taken.
    public init(
        configuration: WalletServerConfiguration,
        wallet: Wallet,
        operators: Wallet? = nil,
        changes: BalanceChanges,
        tokens: TokenVerifier,
        stores: StoreClients,
        pushes: PushVerifier? = nil,
        tracing: (any MiddlewareProtocol<Request, Response, AppRequestContext>)? = nil,
        local: (any MiddlewareProtocol<Request, Response, AppRequestContext>)? = nil,
        additions: @escaping @Sendable (Router<AppRequestContext>) -> Void = { _ in },
        operatorPages: (@Sendable (Router<AppRequestContext>, OperatorResponder) -> Void)? = nil,
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

    /// Informs Google Play what has been delivered; nil where that store is not enabled.
    public var acknowledger: Acknowledger? {
        self.stores.googlePlay.map { Acknowledger(wallet: self.wallet, googlePlay: $0, logger: self.logger) }
    }

    /// Compares the books with the stores.
    public var reconciler: Reconciler {
        Reconciler(wallet: self.wallet, stores: self.stores, logger: self.logger)
    }

    /// Reads the App Store's notifications that did not arrive; nil where its server API is not configured.
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
    /// - Throws: When the address cannot be bound.
    public func run() async throws {
        // A group stops its services in reverse: the gate closes first, then the streams end, which no drain could
        // wait for, and then the application does.
        let pages: [any Service] = self.buildOperatorApplication().map { [$0] } ?? []
        let services: [any Service] = pages + [self.buildApplication(), self.streams, self.drain]
        let configuration = ServiceGroupConfiguration(
            // By itself the group logs a service with all that it holds, secrets among it.
            services: services.map { .init(service: $0, serviceName: "\(type(of: $0))") },
            logger: self.logger
        )
        try await ServiceGroup(configuration: configuration).run()
    }
}
