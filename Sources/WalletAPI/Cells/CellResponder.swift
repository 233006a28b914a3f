public import Hummingbird
import Logging
import Stores

/// Routes each request to a wallet: by the name in its path, otherwise by its token's issuer.
///
/// Both are unverified at this point. The wallet verifies the token with its own issuers only, so a request that
/// reaches the wrong wallet receives 401.
public struct CellResponder: HTTPResponder {
    private let cells: [String: Answerer]
    private let issuers: [ExactText: Answerer]
    private let front: WalletResponder
    private let frontRoutes: RouteTable

    private struct Answerer {
        let name: String
        let responder: WalletResponder
    }

    init(_ cells: [WalletCell], front: Router<AppRequestContext>, routes: RouteTable) {
        let answerers = cells.map { cell -> (WalletCell, Answerer) in
            let responder = WalletResponder(router: cell.server.buildRouter().buildResponder())
            return (cell, Answerer(name: cell.name, responder: responder))
        }
        self.cells = Dictionary(answerers.map { ($0.name, $1) }) { first, _ in first }
        let issuers = answerers.flatMap { cell, answerer in cell.issuers.map { (ExactText($0), answerer) } }
        self.issuers = Dictionary(issuers) { first, _ in first }
        self.front = WalletResponder(router: front.buildResponder())
        self.frontRoutes = routes
    }

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - context: The request's context.
    /// - Returns: The response.
    /// - Throws: An error that no route and no middleware turned into a response.
    public func respond(to request: Request, context: AppRequestContext) async throws -> Response {
        guard let (answerer, request) = self.destination(of: request) else {
            return try await self.front.respond(to: request, context: context)
        }
        var context = context
        context.logger[metadataKey: "wallet"] = .string(answerer.name)
        return try await answerer.responder.respond(to: request, context: context)
    }

    /// Returns the wallet for a request and the request with the wallet's path; nil if it belongs to no wallet.
    private func destination(of request: Request) -> (Answerer, Request)? {
        if let path = CellPath(request.head.path ?? "") {
            guard let answerer = self.cells[path.name], !path.rest.isEmpty else { return nil }
            var head = request.head
            head.path = path.rest
            return (answerer, Request(head: head, body: request.body))
        }
        guard self.frontRoutes.methods(of: request.uri.path).isEmpty, let issuer = UnprovenIssuer(of: request),
            let answerer = self.issuers[issuer.iss]
        else { return nil }
        return (answerer, request)
    }
}
