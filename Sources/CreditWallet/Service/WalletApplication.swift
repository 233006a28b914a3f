import AsyncHTTPClient
import CommandOutput
import Foundation
import Hummingbird
import Logging
import Postgres
import ServiceLifecycle
import StoreSync
import Stores
import Telemetry
import UnixSignals
import Wallet
import WalletAPI
import WalletConsole
import WalletSupabase

/// The assembled service: the pool, the wallet that uses it, and the server.
struct WalletApplication: Sendable {
    let pool: Pool
    /// The connections of the console and of CSV exports.
    private let operatorPool: Pool
    let wallet: Wallet
    private let changes: BalanceChanges
    let server: WalletServer
    private let work: BackgroundJobs
    private let samplers: [any Service]
    private let metering: [any Service]
    private let spans: [any Service]
    private let reads: [any Service]

    /// Assembles the modules; no connection is opened yet.
    ///
    /// All metrics are assigned to the current ``MetricOwner``. With several wallets, the caller must set it during
    /// this call.
    ///
    /// - Parameters:
    ///   - configuration: The configuration.
    ///   - httpClient: The HTTP client for calls to stores and key servers.
    ///   - eventClient: The HTTP client for events, whose endpoint may be in a private network; nil uses `httpClient`.
    ///   - logger: The logger.
    ///   - metering: The metrics; nil for none.
    ///   - recorder: The recorder of spans; nil for none.
    ///   - requestLog: An observer of every request in addition to the metrics; nil for none.
    ///   - clock: The wallet's clock.
    ///   - local: The middleware that refuses requests from other origins than this machine's programs; nil accepts
    ///     all.
    ///   - console: The console's configuration; nil uses the one in `configuration`.
    ///   - additions: A closure that adds routes of this process.
    ///   - onListening: A closure that is called with the port once the server accepts requests.
    /// - Throws: ``CommandError`` for contradictory issuers or an invalid key.
    init(
        _ configuration: ServiceConfiguration,
        httpClient: HTTPClient,
        eventClient: HTTPClient? = nil,
        logger: Logger,
        metering: Metering? = nil,
        recorder: SpanRecorder? = nil,
        requestLog: (any RequestObserver)? = nil,
        clock: @escaping @Sendable () -> Date = { Date() },
        local: (any MiddlewareProtocol<Request, Response, AppRequestContext>)? = nil,
        console: ConsoleConfiguration? = nil,
        additions: @escaping @Sendable (Router<AppRequestContext>) -> Void = { _ in },
        onListening: @escaping @Sendable (Int) async -> Void = { _ in }
    ) async throws {
        let tracer = recorder.map { SpanTracer(recorder: $0) }
        let pool = Pool(configuration: configuration.database, logger: logger, tracer: tracer)
        let standbyPool = configuration.standbys.map { Pool(configuration: $0, logger: logger, tracer: tracer) }
        let standbys = standbyPool.map { Standbys(pool: $0, primary: pool, wallet: MetricOwner.wallet) }
        let wallet = Wallet(
            pool: pool,
            standbys: standbys,
            batching: configuration.batching,
            studioTimeZone: configuration.studioTimeZone
        )
        let operatorPool = Pool(
            configuration: configuration.operatorDatabase,
            logger: logger,
            tracer: tracer,
            yieldingTo: pool
        )
        let operators = Wallet(pool: operatorPool, studioTimeZone: configuration.studioTimeZone)
        self.pool = pool
        self.operatorPool = operatorPool
        self.reads = Self.reads(standbyPool, standbys, logger)
        self.wallet = wallet
        self.samplers = metering?.samplers(pool: pool, wallet: wallet, configuration, logger: logger) ?? []
        self.metering = metering.map { [$0.server(logger: logger)] } ?? []
        self.spans = recorder.map { [$0.processor] } ?? []
        self.changes = BalanceChanges(wallet: wallet, logger: logger)
        let stores = try StoreClients(
            configuration.stores,
            httpClient: httpClient,
            logger: logger,
            clock: clock
        )
        let reference =
            configuration.http.hasReference
            ? APIReference(openAPI: WalletServer.openAPI, tryIt: local != nil) : nil
        var console = try console ?? configuration.operatorSignIn?.console(httpClient: httpClient, logger: logger)
        let owner = MetricOwner.wallet
        if let metering { console?.metrics = { metering.text(of: owner) } }
        let signIns = SignInLimit(
            configuration.operatorSignIn?.limit ?? RateLimit(),
            trustedProxies: configuration.http.limits.trustedProxies
        )
        self.server = WalletServer(
            configuration: configuration.http,
            wallet: wallet,
            operators: operators,
            changes: self.changes,
            tokens: try Self.verifier(configuration.authentication, httpClient: httpClient, logger: logger),
            stores: stores,
            pushes: try Self.pushes(configuration.stores, httpClient: httpClient, logger: logger, clock: clock),
            tracing: TraceMiddleware(tracer: tracer, wallet: owner),
            local: local,
            dialects: [SupabaseFunctions()],
            additions: { router in
                reference?.add(to: router)
                additions(router)
            },
            operatorPages: console.map { Self.pages($0, on: operators, configuration.http.operatorLimits, signIns) },
            observer: RequestObservers(
                observers: [metering.map { _ in RequestMetrics() as any RequestObserver }, requestLog].compactMap { $0 }
            ),
            logger: logger,
            onListening: onListening
        )
        self.work = BackgroundJobs(
            wallet: wallet,
            inbox: self.server.inbox,
            acknowledger: self.server.acknowledger,
            dispatcher: configuration.work.events.map {
                EventDispatcher(wallet: wallet, endpoint: $0, httpClient: eventClient ?? httpClient, logger: logger)
            },
            reconciler: self.server.reconciler,
            history: self.server.notificationHistory,
            configuration: configuration.work,
            logger: logger
        )
    }

    /// Returns the services that maintain the standby connections and track the standbys' positions.
    private static func reads(_ pool: Pool?, _ standbys: Standbys?, _ logger: Logger) -> [any Service] {
        guard let pool, let standbys else { return [] }
        let round = PeriodicJob(name: "standbys", interval: Standbys.interval, logger: logger, work: standbys.keepUp)
        return [pool, round]
    }

    private static func verifier(
        _ configuration: AuthenticationConfiguration,
        httpClient: HTTPClient,
        logger: Logger
    ) throws -> TokenVerifier {
        do {
            return try TokenVerifier(configuration: configuration, httpClient: httpClient, logger: logger)
        } catch let error as WalletAPIError {
            throw CommandError(.configuration, error.reason)
        }
    }

    private static func pushes(
        _ stores: StoresConfiguration,
        httpClient: HTTPClient,
        logger: Logger,
        clock: @escaping @Sendable () -> Date
    ) throws -> PushVerifier? {
        guard let pushes = stores.pushes else { return nil }
        do {
            return try PushVerifier(configuration: pushes, httpClient: httpClient, logger: logger, now: clock)
        } catch let error as WalletAPIError {
            throw CommandError(.configuration, error.reason)
        }
    }

    /// Returns a closure that adds the console's pages to a router.
    private static func pages(
        _ configuration: ConsoleConfiguration,
        on wallet: Wallet,
        _ limits: OperatorLimits,
        _ signIns: SignInLimit
    ) -> @Sendable (Router<AppRequestContext>) -> Void {
        let console = OperatorConsole<AppRequestContext>(
            configuration,
            wallet: wallet,
            limits: limits,
            ended: EndedSessions(
                end: { try await wallet.endSession($0, until: $1) },
                isEnded: { try await wallet.isSessionEnded($0) }
            ),
            gate: { request, context in
                let (address, wait) = signIns.take(request, context)
                return SignInCaller(address: address, wait: wait)
            }
        )
        return { console.add(to: $0) }
    }

    /// Checks the database before the first request, and stores the studio's time zone and the instant from which each
    /// store's purchases grant.
    ///
    /// - Parameters:
    ///   - configuration: The application's configuration.
    ///   - logger: The logger for non-fatal anomalies.
    /// - Throws: ``CommandError`` if the database is unavailable or does not fit this build.
    func open(_ configuration: ServiceConfiguration, logger: Logger) async throws {
        do {
            try await DatabaseDoor(configuration: configuration.database.connection, logger: logger).requireOpen()
            let checks = DatabaseChecks(wallet: self.wallet, pool: self.pool, logger: logger)
            try await checks.requireUsableSchema()
            try await checks.require(.production)
            try await checks.warnOfRights()
            try await self.wallet.storeStudioTimeZone()
            try await self.wallet.setSandboxPurchases(configuration.sandboxPurchases)
            for (store, instant) in configuration.stores.grantsFrom.sorted(by: { $0.key < $1.key }) {
                try await self.enable(store, from: instant, logger)
            }
        } catch {
            throw CommandError.explaining(error)
        }
    }

    private func enable(_ store: String, from instant: Date, _ logger: Logger) async throws {
        let inForce = try await self.wallet.enableStore(store, grantsFrom: instant)
        guard inForce != instant else { return }
        logger.warning(
            "the store was enabled with a different grants_from, which still applies",
            metadata: ["store": "\(store)", "grants_from": "\(inForce.formatted(.iso8601))"]
        )
    }

    /// The services in their start order; they stop in reverse order.
    var services: [any Service] { self.spans + self.metering + self.ownServices + [self.server] }

    /// The wallet's own services, if a process serves several wallets: all except the server and the shared collectors.
    var ownServices: [any Service] {
        [self.pool, self.operatorPool] + self.reads + [self.changes] + self.samplers + self.work.rounds
    }
}

extension ServiceGroup {
    /// Creates a group that shuts down gracefully after a signal or the failure of a service.
    init(services: [any Service], shutdownTimeout: Duration, logger: Logger) {
        var configuration = ServiceGroupConfiguration(
            services: services.map { service in
                ServiceGroupConfiguration.ServiceConfiguration(
                    service: service,
                    successTerminationBehavior: .gracefullyShutdownGroup,
                    failureTerminationBehavior: .gracefullyShutdownGroup,
                    // Without a name, the group logs the whole service value, including its secrets.
                    serviceName: "\(type(of: service))"
                )
            },
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: logger
        )
        configuration.maximumGracefulShutdownDuration = shutdownTimeout
        self.init(configuration: configuration)
    }
}
