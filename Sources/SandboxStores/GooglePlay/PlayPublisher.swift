import Foundation
import Hummingbird
import JSON

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
                return Response.json(refusal.body, status: refusal.status)
            }
        }
    }

    private func showProduct(_ request: Request, _ context: SandboxContext) async throws -> Response {
        let transaction = try await self.ledger.playProduct(
            context.segment("product"),
            token: context.segment("token")
        )
        return Response.json(PlayProductAnswer(transaction: transaction).product)
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

    private func showProductV2(_ request: Request, _ context: SandboxContext) async throws -> Response {
        let transaction = try await self.ledger.playProduct(nil, token: context.segment("token"))
        return Response.json(PlayProductAnswer(transaction: transaction).productV2)
    }

    private func showSubscription(_ request: Request, _ context: SandboxContext) async throws -> Response {
        Response.json(try await self.ledger.playSubscription(token: context.segment("token")).body)
    }

    private func settleSubscription(_ request: Request, _ context: SandboxContext) async throws -> Response {
        let product = try context.segment("product")
        let (token, verb) = try Self.tokenAndVerb(in: context)
        guard verb == "acknowledge" else { throw PlayRefusal.unknownMethod }
        try await self.ledger.acknowledgeSubscription(product, token: token)
        return Response(status: .noContent)
    }

    /// Splits the last path segment, in which the API appends the method to the token after a colon.
    private static func tokenAndVerb(in context: SandboxContext) throws -> (token: String, verb: String) {
        let segment = try context.segment("token")
        guard let colon = segment.lastIndex(of: ":") else { throw PlayRefusal.unknownMethod }
        return (String(segment[..<colon]), String(segment[segment.index(after: colon)...]))
    }

    private func showVoided(_ request: Request, _ context: SandboxContext) async throws -> Response {
        let query = try PlayVoidedQuery(request.uri.queryParameters, now: await self.ledger.now)
        return Response.json(query.answer(from: await self.ledger.state))
    }
}

extension SandboxLedger {
    /// Returns a one-time purchase.
    /// - Parameters:
    ///   - product: The product in the call, nil if the call contains none.
    ///   - token: The purchase token.
    /// - Returns: The purchase.
    /// - Throws: ``PlayRefusal`` for a token that is unknown or belongs to another product.
    func playProduct(_ product: String?, token: String) throws -> SandboxTransaction {
        let known = self.state.transactions(ofPurchaseToken: token).last
        guard let known, known.kind != .subscription else { throw PlayRefusal.unknownToken }
        guard product == nil || known.productID == product else { throw PlayRefusal.wrongProduct }
        return known
    }

    /// Returns a subscription.
    /// - Parameter token: The purchase token.
    /// - Returns: The subscription in the API's format.
    /// - Throws: ``PlayRefusal`` for an unknown token.
    func playSubscription(token: String) throws -> PlaySubscriptionAnswer {
        let periods = self.state.transactions(ofPurchaseToken: token)
        guard let answer = PlaySubscriptionAnswer(periods: periods, in: self.state, at: self.now) else {
            throw PlayRefusal.unknownToken
        }
        return answer
    }

    /// Records the app's acknowledgement of a product's delivery.
    /// - Throws: ``PlayRefusal`` if the purchase was already acknowledged or consumed, is unpaid or was refunded.
    func acknowledgeProduct(_ product: String, token: String) throws {
        var transaction = try self.playProduct(product, token: token)
        guard !transaction.isUndone else { throw PlayRefusal.notOwned }
        guard transaction.canBeAcknowledged else { throw PlayRefusal.invalidState }
        transaction.acknowledgedAt = self.now
        try self.keepPlay(transaction)
    }

    /// Consumes a product, so that it can be bought again; this also acknowledges it.
    /// - Throws: ``PlayRefusal`` if the purchase was already consumed, is unpaid or was refunded.
    func consumeProduct(_ product: String, token: String) throws {
        var transaction = try self.playProduct(product, token: token)
        guard !transaction.isUndone, transaction.consumedAt == nil else { throw PlayRefusal.notOwned }
        guard transaction.pendingSince == nil else { throw PlayRefusal.invalidState }
        let now = self.now
        transaction.consumedAt = now
        transaction.acknowledgedAt = transaction.acknowledgedAt ?? now
        try self.keepPlay(transaction)
    }

    /// Records the app's acknowledgement of a subscription; renewals need none.
    /// - Throws: ``PlayRefusal`` if the subscription was already acknowledged, is unpaid or was refunded.
    func acknowledgeSubscription(_ product: String, token: String) throws {
        let answer = try self.playSubscription(token: token)
        let known = [answer.first, answer.newest].flatMap(\.products)
        guard known.contains(where: { $0.playProduct.id == product }) else {
            throw PlayRefusal.wrongProduct
        }
        var first = answer.first
        guard !first.isUndone, first.canBeAcknowledged else { throw PlayRefusal.invalidState }
        first.acknowledgedAt = self.now
        try self.keepPlay(first)
    }

    private func keepPlay(_ transaction: SandboxTransaction) throws {
        try self.change { $0.transactions[transaction.id] = transaction }
    }
}

extension SandboxTransaction {
    fileprivate var canBeAcknowledged: Bool {
        self.acknowledgedAt == nil && self.consumedAt == nil && self.pendingSince == nil
    }
}

/// An error of the Android Publisher API.
struct PlayRefusal: Error {
    let status: HTTPResponse.Status
    let message: String
    let reason: String
    var location: (name: String, type: String)?

    /// The body in the format of Google's errors.
    var body: JSONValue {
        var entry: [String: JSONValue] = [
            "message": .text(self.message), "domain": .text(self.domain), "reason": .text(self.reason),
        ]
        if let location {
            entry["location"] = .text(location.name)
            entry["locationType"] = .text(location.type)
        }
        return [
            "error": [
                "code": .integer(self.status.code), "message": .text(self.message),
                "errors": [.object(entry)],
            ]
        ]
    }

    private var domain: String { self.status == .unauthorized ? "global" : "androidpublisher" }

    static let unauthenticated = PlayRefusal(
        status: .unauthorized,
        message: "Request had invalid authentication credentials. Expected OAuth 2 access token.",
        reason: "authError",
        location: ("Authorization", "header")
    )
    static let unknownPackage = PlayRefusal(
        status: .notFound,
        message: "No application was found for the given package name.",
        reason: "applicationNotFound",
        location: ("packageName", "parameter")
    )
    static let unknownToken = PlayRefusal(
        status: .notFound,
        message: "The purchase token was not found.",
        reason: "purchaseTokenNotFound",
        location: ("token", "parameter")
    )
    static let invalidState = PlayRefusal(
        status: .badRequest,
        message: "The purchase is not in a valid state to perform the desired operation.",
        reason: "invalidPurchaseState",
        location: ("token", "parameter")
    )
    static let notOwned = PlayRefusal(
        status: .badRequest,
        message: "The product purchase is not owned by the user.",
        reason: "productNotOwnedByUser",
        location: ("token", "parameter")
    )
    static let wrongProduct = PlayRefusal(
        status: .badRequest,
        message: "The purchase token does not match the product ID.",
        reason: "purchaseTokenDoesNotMatchProductId",
        location: ("token", "parameter")
    )
    static let invalidTime = PlayRefusal(
        status: .badRequest,
        message: "The time range is invalid.",
        reason: "invalid",
        location: ("startTime", "parameter")
    )
    static let unknownOrder = PlayRefusal(
        status: .notFound,
        message: "The order was not found.",
        reason: "orderNotFound",
        location: ("orderId", "parameter")
    )
    static let invalidAnswer = PlayRefusal(
        status: .badRequest,
        message: "The response to the refund review is invalid.",
        reason: "invalid",
        location: ("pendingRefundToken", "parameter")
    )
    static let unknownMethod = PlayRefusal(status: .notFound, message: "Not Found", reason: "notFound")
}
