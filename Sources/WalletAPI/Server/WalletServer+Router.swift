public import Hummingbird
import StoreSync
import Wallet

extension WalletServer {
    /// Builds the router with all middlewares and routes.
    ///
    /// - Returns: The router.
    public func buildRouter() -> Router<AppRequestContext> {
        let router = self.outerRouter()
        self.addStoreRoutes(to: router)
        self.addPublicRoutes(to: router)
        self.addUserRoutes(to: router)
        self.addOperatorRoutes(
            to: router.group().add(middleware: OperatorMiddleware(verifier: self.tokens))
                .group(context: OperatorRequestContext.self)
        )
        self.additions(router)
        if self.configuration.operatorPages == nil { self.operatorPages?(router) }
        // Added last: the middleware needs all routes, and it runs only for requests that match none of them.
        router.add(middleware: MethodNotAllowedMiddleware(routes: RouteTable(router)))
        return router
    }

    /// Creates a router without routes but with the middlewares that every request passes.
    func outerRouter() -> Router<AppRequestContext> {
        let gate = self.gate.map { CellGateMiddleware(gate: $0) as RequestChain.Link }
        return RequestChain(
            configuration: self.configuration,
            tracing: self.tracing,
            drain: self.drain,
            observer: self.observer,
            crossOrigins: self.crossOrigins(self.configuration.corsOrigins),
            dialects: self.dialects,
            refusals: self.refusals,
            positions: self.wallet.standbys.map { ReadPositionMiddleware(standbys: $0) },
            guards: [gate, self.local].compactMap { $0 }
        ).router()
    }

    /// Allows web pages to call the routes that apps call: the public routes and the user routes.
    func crossOrigins(_ origins: [String]) -> CrossOriginMiddleware {
        let routes = Router(context: AppRequestContext.self)
        self.addPublicRoutes(to: routes)
        self.addUserRoutes(to: routes)
        return CrossOriginMiddleware(
            policy: CrossOriginPolicy(origins: origins),
            routes: routes,
            dialects: self.dialects
        )
    }

    /// Adds the routes for other services: probes and store webhooks.
    private func addStoreRoutes(to router: Router<AppRequestContext>) {
        HealthRoutes().add(to: router)
        ReadyRoute(drain: self.drain) { await self.isReady() }.add(to: router)
        WebhookRoutes(inbox: self.inbox, stores: self.stores, pushes: self.pushes).add(to: router)
    }

    /// Returns whether requests can be served.
    func isReady() async -> Bool {
        guard self.gate?.isOpen ?? true else { return false }
        return await self.wallet.isReady()
    }

    private func addPublicRoutes(to router: Router<AppRequestContext>) {
        CatalogueRoutes(wallet: self.wallet).add(to: router)
        ClassRoutes(wallet: self.wallet).add(to: router)
        for dialect in self.dialects { dialect.addPublic(to: router.group(dialect.path), of: self.wallet) }
    }

    private func addUserRoutes(to router: Router<AppRequestContext>) {
        let bearers = router.group().add(middleware: BearerMiddleware(verifier: self.tokens))
            .group(context: UserRequestContext.self)
        if let limit = self.configuration.limits.requestsPerUser {
            bearers.add(middleware: UserLimitMiddleware(limiter: RequestLimiter(policy: "user", limit: limit)))
        }
        if self.tokens.storesProfiles { bearers.add(middleware: ProfileMiddleware(wallet: self.wallet)) }
        let (lists, balances) = (BookingListRoutes(wallet: self.wallet), BalanceRoutes(wallet: self.wallet))
        let purchases = PurchaseRoutes(wallet: self.wallet)
        BookingRoutes(wallet: self.wallet).add(to: bearers)
        let readers = bearers.group().add(middleware: LateAdmissionMiddleware(wallet: self.wallet))
        lists.add(to: readers)
        balances.add(to: readers)
        purchases.add(to: readers)
        let users = bearers.group().add(middleware: AdmissionMiddleware(wallet: self.wallet))
        lists.addAdmitted(to: users)
        balances.addAdmitted(to: users)
        BalanceStreamRoutes(wallet: self.wallet, streams: self.streams).add(to: users)
        WaitlistRoutes(wallet: self.wallet).add(to: users)
        purchases.addAdmitted(to: users)
        AccountRoutes(wallet: self.wallet, tokens: self.tokens).add(to: users)
        OfferRoutes(wallet: self.wallet, stores: self.stores).add(to: users)
        let limiter = UserRateLimiter(policy: "receipts", limit: self.configuration.receipts)
        let verifier = PurchaseVerifier(wallet: self.wallet, stores: self.stores) { limiter.take($0) }
        let intake = PurchaseIntake(wallet: self.wallet, verifier: verifier, acknowledger: self.acknowledger)
        ReceiptRoutes(wallet: self.wallet, intake: intake, limiter: limiter).add(to: users)
        RestoreRoutes(wallet: self.wallet, verifier: verifier, limiter: limiter).add(to: users)
        for dialect in self.dialects {
            dialect.add(to: users.group(dialect.path), of: self.wallet, intake: intake, limiter: limiter)
        }
    }

    private func addOperatorRoutes(to group: some RouterMethods<OperatorRequestContext>) {
        let wallet = self.wallet
        let operators = group.group().add(middleware: OperatorAuditMiddleware(wallet: wallet))
        OperatorActionRoutes(wallet: wallet).add(to: operators)
        OperatorListRoutes(wallet: wallet, exports: self.operators).add(to: operators)
        OperatorReadRoutes(wallet: wallet).add(to: operators)
        OperatorClassRoutes(wallet: wallet).add(to: operators)
        ProductRoutes(wallet: wallet).add(to: operators)
        AdjustmentRoutes(wallet: wallet, limits: self.configuration.operatorLimits).add(to: operators)
        CompensationRoutes(wallet: wallet, limits: self.configuration.operatorLimits).add(to: operators)
        ReconciliationRoutes(
            wallet: wallet,
            reconciler: self.reconciler,
            maximumGrants: self.configuration.reconcileMaximumGrants
        ).add(to: operators)
    }
}

/// The middlewares that every request passes before a route, in order, with or without a wallet.
struct RequestChain {
    typealias Link = any MiddlewareProtocol<Request, Response, AppRequestContext>

    let configuration: WalletServerConfiguration
    let tracing: Link?
    let drain: DrainGate
    let observer: (any RequestObserver)?
    let crossOrigins: CrossOriginMiddleware?
    let dialects: [any APIDialect]
    let refusals: RefusalMetrics
    var positions: ReadPositionMiddleware?
    /// The middlewares that refuse requests before these count against an address's limit.
    var guards: [Link] = []

    /// Creates a router without routes.
    func router() -> Router<AppRequestContext> {
        let router = Router(context: AppRequestContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: ResponseHeadersMiddleware(hasReference: self.configuration.hasReference))
        if let tracing = self.tracing { router.add(middleware: tracing) }
        router.add(middleware: DrainMiddleware(drain: self.drain))
        router.add(middleware: RequestLogMiddleware(observer: self.observer))
        if let crossOrigins = self.crossOrigins { router.add(middleware: crossOrigins) }
        if let positions = self.positions { router.add(middleware: positions) }
        for dialect in self.dialects { router.add(middleware: DialectMiddleware(dialect: dialect)) }
        router.add(middleware: ProblemMiddleware(metrics: self.refusals))
        for link in self.guards { router.add(middleware: link) }
        if let limit = self.configuration.limits.requestsPerAddress {
            router.add(
                middleware: AddressLimitMiddleware(
                    limiter: RequestLimiter(policy: "address", limit: limit),
                    proxies: TrustedProxies(networks: self.configuration.limits.trustedProxies)
                )
            )
        }
        router.add(middleware: PathMiddleware())
        return router
    }
}
