import Foundation
import Hummingbird

extension SandboxStores {
    private typealias PlayHandler = @Sendable (Request, SandboxContext) async throws -> Response

    /// Adds the Android Publisher API.
    func addPublisherRoutes(of face: PlayServer, to router: Router<SandboxContext>) {
        let purchases = router.group("androidpublisher/v3/applications/:package/purchases")
            .add(middleware: FaultMiddleware(faults: self.faults, target: .googlePlay))
        purchases.get("products/:product/tokens/:token", use: self.guarded(by: face, self.showProduct))
        purchases.post("products/:product/tokens/:token", use: self.guarded(by: face, self.settleProduct))
        purchases.get("productsv2/tokens/:token", use: self.guarded(by: face, self.showProductV2))
        purchases.get("subscriptionsv2/tokens/:token", use: self.guarded(by: face, self.showSubscription))
        purchases.post("subscriptions/:product/tokens/:token", use: self.guarded(by: face, self.settleSubscription))
        purchases.get("voidedpurchases", use: self.guarded(by: face, self.showVoided))
        router.group("androidpublisher/v3/applications/:package/orders")
            .add(middleware: FaultMiddleware(faults: self.faults, target: .googlePlay))
            .post(":order", use: self.guarded(by: face, self.reviewRefund))
    }

    /// Wraps a handler: requires a valid access token and the right app, and returns refusals in Google's format.
    private func guarded(by face: PlayServer, _ handler: @escaping PlayHandler) -> PlayHandler {
        { request, context in
            do {
                guard face.tokens.accepts(request.headers[.authorization]) else { throw PlayRefusal.unauthenticated }
                guard try context.segment("package") == face.settings.packageName else {
                    throw PlayRefusal.unknownPackage
                }
                return try await handler(request, context)
            } catch let refusal as PlayRefusal {
                return try Response.json(refusal.body, status: refusal.status)
            }
        }
    }

    private func showProduct(_ request: Request, _ context: SandboxContext) async throws -> Response {
        let transaction = try await self.ledger.playProduct(
            context.segment("product"),
            token: context.segment("token")
        )
        return try Response.json(PlayProductAnswer(transaction: transaction).product)
    }

    private func showProductV2(_ request: Request, _ context: SandboxContext) async throws -> Response {
        let transaction = try await self.ledger.playProduct(nil, token: context.segment("token"))
        return try Response.json(PlayProductAnswer(transaction: transaction).productV2)
    }

    private func showSubscription(_ request: Request, _ context: SandboxContext) async throws -> Response {
        try Response.json(await self.ledger.playSubscription(token: context.segment("token")).body)
    }

    private func settleProduct(_ request: Request, _ context: SandboxContext) async throws -> Response {
        let product = try context.segment("product")
        let (token, verb) = try Self.tokenAndVerb(in: context)
        switch verb {
        case "acknowledge": try await self.ledger.acknowledgeProduct(product, token: token)
        case "consume": try await self.ledger.consumeProduct(product, token: token)
        default: throw PlayRefusal.unknownMethod
        }
        return Response(status: .noContent)
    }

    private func settleSubscription(_ request: Request, _ context: SandboxContext) async throws -> Response {
        let product = try context.segment("product")
        let (token, verb) = try Self.tokenAndVerb(in: context)
        guard verb == "acknowledge" else { throw PlayRefusal.unknownMethod }
        try await self.ledger.acknowledgeSubscription(product, token: token)
        return Response(status: .noContent)
    }

    private func showVoided(_ request: Request, _ context: SandboxContext) async throws -> Response {
        let query = try PlayVoidedQuery(request.uri.queryParameters, now: await self.ledger.now)
        return try Response.json(query.answer(from: await self.ledger.state))
    }

    /// Splits the last path segment, in which the API appends the method to the token after a colon.
    private static func tokenAndVerb(in context: SandboxContext) throws -> (token: String, verb: String) {
        let segment = try context.segment("token")
        guard let colon = segment.lastIndex(of: ":") else { throw PlayRefusal.unknownMethod }
        return (String(segment[..<colon]), String(segment[segment.index(after: colon)...]))
    }
}

extension SandboxContext {
    /// Returns a path segment without its percent-encoding, which the router does not remove.
    func segment(_ name: String) throws -> String {
        let segment = try self.parameters.require(name)
        guard let decoded = segment.removingPercentEncoding else { throw HTTPError(.badRequest) }
        return decoded
    }
}
