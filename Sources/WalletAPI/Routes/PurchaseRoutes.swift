import HTTPTypes
import Hummingbird
import Wallet

/// Returns a user's purchases, passes and subscriptions, and lets apps spend visits without a booking.
///
/// - `GET /purchases` (user)
/// - `GET /purchases/{transaction_id}` (user)
/// - `GET /subscriptions` (user)
/// - `GET /passes` (user)
/// - `POST /purchases/{transaction_id}/consume` (user)
struct PurchaseRoutes {
    let wallet: Wallet

    func add(to group: some RouterMethods<UserRequestContext>) {
        group.get("purchases", use: self.list)
        group.get("purchases/:transaction_id", use: self.one)
        group.get("subscriptions", use: self.subscriptions)
        group.get("passes", use: self.passes)
        group.post("purchases/:transaction_id/consume", use: self.consume)
    }

    @Sendable
    private func list(
        _ request: Request,
        _ context: UserRequestContext
    ) async throws -> JSONAnswer<PagedAnswer<Purchase>> {
        let page = try await self.wallet.purchases(
            of: context.user,
            in: self.wallet.environment(of: context.user, in: request),
            page: request.page()
        )
        return JSONAnswer(PagedAnswer("purchases", page))
    }

    @Sendable
    private func one(_ request: Request, _ context: UserRequestContext) async throws -> JSONAnswer<Purchase> {
        JSONAnswer(
            try await self.wallet.purchase(
                context.parameters.transactionID(),
                of: context.user,
                in: self.wallet.environment(of: context.user, in: request)
            )
        )
    }

    @Sendable
    private func subscriptions(
        _ request: Request,
        _ context: UserRequestContext
    ) async throws -> JSONAnswer<SubscriptionOverview> {
        let environment = try await self.wallet.environment(of: context.user, in: request)
        return JSONAnswer(try await self.wallet.subscriptions(of: context.user, in: environment))
    }

    @Sendable
    private func passes(
        _ request: Request,
        _ context: UserRequestContext
    ) async throws -> JSONAnswer<PagedAnswer<Pass>> {
        let page = try await self.wallet.passes(
            of: context.user,
            in: self.wallet.environment(of: context.user, in: request),
            page: request.page()
        )
        return JSONAnswer(PagedAnswer("passes", page))
    }

    @Sendable
    private func consume(_ request: Request, _ context: UserRequestContext) async throws -> JSONAnswer<PassUse> {
        let environment = try await self.wallet.environment(of: context.user, in: request)
        let transactionID = try context.parameters.transactionID()
        let reference = try await request.json(Consumption.self).checkedReference()
        let use = try await self.wallet.consumePass(
            transactionID,
            reference: reference,
            for: context.caller,
            in: environment
        )
        return JSONAnswer(use, headers: use.replayed ? [.idempotentReplayed: "true"] : [:])
    }

    private struct Consumption: Decodable {
        let reference: String

        func checkedReference() throws -> String {
            try OperatorText.check(self.reference, "reference", upTo: 200)
            return self.reference
        }
    }
}
