import Hummingbird

/// The middlewares that every request passes before a route, in order, with or without a wallet.
struct RequestChain {
    typealias Link = any MiddlewareProtocol<Request, Response, AppRequestContext>

    let configuration: WalletServerConfiguration
    let tracing: Link?
    let drain: DrainGate
    let observer: (any RequestObserver)?
    let crossOrigins: CrossOriginMiddleware?
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
        router.add(middleware: FunctionsMiddleware())
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
