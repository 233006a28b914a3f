import Hummingbird

extension CellServer {
    /// Creates the responder that routes each request to its wallet.
    func responder() -> CellResponder {
        let router = RequestChain(
            configuration: self.configuration,
            tracing: self.tracing,
            drain: self.drain,
            observer: self.observer,
            crossOrigins: self.crossOrigins,
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
