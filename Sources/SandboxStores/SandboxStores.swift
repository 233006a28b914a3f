public import Hummingbird
public import Logging
import Mustache
import NIOCore
public import ServiceLifecycle

/// The stores on loopback, for development and tests: real protocols, invented purchases.
///
/// They answer to programs on this machine, and to no web page of others (see ``LocalRequests``).
///
/// Serves the App Store's verification endpoint as `POST /verifyReceipt` (production) and
/// `POST /sandbox/verifyReceipt` (sandbox), the App Store Server API under `/inApps` (production) and
/// `/sandbox-api/inApps` (sandbox), and the controls:
///
/// | control | does |
/// |---|---|
/// | `GET /sandbox`, `GET /` | lists controls, products, subscriptions and purchases; as a page |
/// | `POST /sandbox/purchases` | buys a product for a user; answers the ids, a receipt, a signed transaction |
/// | `POST /sandbox/receipts` | makes a receipt that holds any given transactions |
/// | `POST /sandbox/transactions/{id}/refund`, `…/refund-reverse`, `…/revoke` | takes a purchase back, gives it again |
/// | `POST /sandbox/transactions/{id}/finish`, `…/complete` | finishes a consumable; pays a pending purchase |
/// | `POST /sandbox/transactions/{id}/consumption-request` | asks how much of a purchase was used |
/// | `POST /sandbox/subscriptions/{original_transaction_id}/{step}` | moves a subscription on, see below |
/// | `GET` and `POST /sandbox/clock` | returns the clock; moves it forward, and renews and ends what is due on the way |
/// | `POST` and `DELETE /sandbox/faults` | makes the next calls of a face fail; makes them work |
/// | `GET` and `POST /sandbox/notifications`, `POST …/{id}/redeliver` | lists, holds back and repeats notifications |
/// | `POST /sandbox/app-transactions`, `GET /sandbox/root.cer` | signs an app transaction; returns the root certificate |
/// | `GET /sandbox/consumptions` | lists what was reported of consumption |
/// | `GET /sandbox/refund-reviews` | lists what was answered to reviews of refunds |
/// | `GET /sandbox/calls` | says how often the verification endpoint was called since the start |
///
/// Where they are configured, RevenueCat answers `GET /v1/subscribers/{app_user_id}` and Google Play
/// `POST /token`, `GET /oauth2/v3/certs` and the purchases of `/androidpublisher/v3/applications/{package}`; what
/// nobody acknowledges there is paid back when the clock is moved past three days.
///
/// The steps of a subscription are `renew`, `cancel`, `uncancel`, `billing-issue`, `end-grace`, `recover`, `expire`,
/// `pause`, `resume`, `change-product` and `transfer`. Each control posts the notification that the real store would.
public struct SandboxStores: Service {
    let configuration: SandboxStoresConfiguration
    let logger: Logger
    let ledger: SandboxLedger
    let faults = FaultQueue()
    let calls = CallCounter()
    let poster: NotificationPoster
    let revenueCat: RevenueCatServer?
    let play: PlayServer?
    let authority: AppleAuthority
    let writer: AppStoreWriter
    let serverAPIToken: ServerAPIToken?
    let page: MustacheTemplate
    private let port = BoundPort()

    /// Opens the stores and loads what they sold before.
    /// - Parameters:
    ///   - configuration: what is sold, where to listen, where to keep the state.
    ///   - logger: gets what the controls did; never a receipt.
    /// - Throws: ``SandboxStoresError`` with `unreadableState` when the state in the directory cannot be read; it is
    ///   then left as it is; with `unreadableKey` when the service account's key is no RSA key.
    public init(configuration: SandboxStoresConfiguration, logger: Logger) throws {
        self.configuration = configuration
        self.logger = logger
        self.ledger = try SandboxLedger(configuration: configuration)
        self.page = try MustacheTemplate(string: Self.pageText)
        self.revenueCat = configuration.revenueCat.map(RevenueCatServer.init)
        self.play = try configuration.googlePlay.map { settings in
            try PlayServer(settings: settings, directory: configuration.directory)
        }
        let faces = [self.revenueCat?.writer(of: self.ledger), self.play?.writer(of: self.ledger)]
        self.authority = try AppleAuthority.open(directory: configuration.directory)
        self.writer = AppStoreWriter(
            signer: try AppleSigner(authority: self.authority),
            appAppleID: configuration.appAppleID
        )
        self.serverAPIToken = try configuration.serverAPI.map {
            try ServerAPIToken(access: $0, bundleID: configuration.bundleID)
        }
        self.poster = NotificationPoster(
            receivers: configuration.notifications,
            writers: [self.writer.notifications] + faces.compactMap { $0 },
            faults: self.faults,
            logger: logger
        )
    }

    /// Serves until shut down gracefully or cancelled; either way the requests under way are finished.
    ///
    /// A server that is torn down while connections come in would take the process with it.
    /// - Throws: what the server throws, such as a port that is taken.
    public func run() async throws {
        defer { self.port.close() }
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [.init(service: self.buildApplication(), serviceName: "\(Self.self)")],
                logger: self.logger
            )
        )
        let serving = Task { try await group.run() }
        try await withTaskCancellationOrGracefulShutdownHandler {
            try await serving.value
        } onCancelOrGracefulShutdown: {
            Task { await group.triggerGracefulShutdown() }
        }
    }

    /// The port that the stores listen on; waits until they do.
    /// - Returns: the port.
    /// - Throws: ``SandboxStoresError`` with `notRunning` when the stores stopped before they listened.
    public func boundPort() async throws -> Int {
        guard let port = await self.port.value() else { throw SandboxStoresError(.notRunning) }
        return port
    }

    /// How far the stores' clock is ahead of the machine's, in seconds; kept over restarts.
    /// - Returns: the offset.
    public func clockOffset() async -> Int {
        await self.ledger.offsetSeconds
    }

    /// Changes where the stores post what happens, for receivers whose addresses are known only after the start.
    /// - Parameter receivers: the new addresses.
    public func post(to receivers: NotificationReceivers) async {
        await self.poster.setReceivers(receivers)
    }

    /// Whether a path is one of the controls, whose bodies are JSON; the stores' own take what the real ones take.
    private static func isControl(_ path: String) -> Bool {
        let segments = path.split(separator: "/")
        return segments.first == "sandbox" && segments != ["sandbox", "verifyReceipt"]
    }

    /// Builds the server, for tests that drive it without a port.
    /// - Returns: an application that has not been started.
    public func buildApplication() -> some ApplicationProtocol {
        let router = Router(context: SandboxContext.self)
        router.add(middleware: SandboxErrorMiddleware(isControl: Self.isControl))
        router.add(
            middleware: LocalRequests<SandboxContext>(port: { self.port.current }, pages: .own) { request in
                !Self.isControl(request.uri.path)
            }
        )
        self.addOverviewRoutes(to: router)
        self.addVerificationRoutes(to: router)
        self.addPurchaseRoutes(to: router)
        self.addTransactionRoutes(to: router)
        self.addSubscriptionRoutes(to: router)
        self.addNotificationRoutes(to: router)
        self.addAppStoreControls(to: router)
        self.addConsumptionControl(to: router)
        self.addRefundReviewControl(to: router)
        self.addServerAPIRoutes(to: router)
        self.addClockRoutes(to: router)
        self.addFaultRoutes(to: router)
        self.addStoreRoutes(to: router)
        return Application(
            router: router,
            configuration: ApplicationConfiguration(
                address: .hostname(self.configuration.host, port: self.configuration.port),
                serverName: "SandboxStores",
                // Sockets that reuse addresses may be given one free port twice, and then only one of them may listen.
                reuseAddress: self.configuration.port != 0
            ),
            onServerRunning: { channel in self.port.open(channel.localAddress?.port) },
            logger: self.logger
        )
    }
}
