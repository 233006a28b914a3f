import Hummingbird
import Wallet

/// Returns the state of a user's purchases and subscriptions.
///
/// - `GET /purchases` (user)
/// - `GET /purchases/{transaction_id}` (user)
/// - `GET /subscriptions` (user)
struct PurchaseRoutes {
    let wallet: Wallet

    func add(to group: some RouterMethods<UserRequestContext>) {
        group.get("purchases", use: self.list)
        group.get("purchases/:transaction_id", use: self.one)
        group.get("subscriptions", use: self.subscriptions)
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
}
