import Hummingbird

extension CellServer {
    /// Makes what sends each request to its wallet.
    func responder() -> CellResponder {
        let router = Router(context: AppRequestContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: ResponseHeadersMiddleware(hasReference: self.configuration.hasReference))
        if let tracing = self.tracing { router.add(middleware: tracing) }
        router.add(middleware: DrainMiddleware(drain: self.drain))
        router.add(middleware: RequestLogMiddleware(observer: self.observer))
        if let crossOrigins = self.crossOrigins { router.add(middleware: crossOrigins) }
        router.add(middleware: FunctionsMiddleware())
        router.add(middleware: ProblemMiddleware(metrics: self.refusals))
        if let limit = self.configuration.limits.requestsPerAddress {
            router.add(
                middleware: AddressLimitMiddleware(
                    limiter: RequestLimiter(policy: "address", limit: limit),
                    proxies: TrustedProxies(networks: self.configuration.limits.trustedProxies)
                )
            )
        }
        router.add(middleware: PathMiddleware())
        HealthRoutes().add(to: router)
        CellReadyRoute(drain: self.drain, cells: self.cells).add(to: router)
        self.additions(router)
        let routes = RouteTable(router)
        router.add(middleware: MethodNotAllowedMiddleware(routes: routes))
        router.add(middleware: CellMissingMiddleware())
        return CellResponder(self.cells, front: router, routes: routes)
    }

    /// Answers the preflights of web pages, which carry no token: whether a page may read the answer then, is for the
    /// wallet to say.
    private var crossOrigins: CrossOriginMiddleware? {
        let origins = Set(self.cells.flatMap(\.server.configuration.corsOrigins))
        return self.cells.first?.server.crossOrigins(origins.sorted())
    }
}
