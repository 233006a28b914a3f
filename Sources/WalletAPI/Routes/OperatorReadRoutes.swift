import Hummingbird
import Wallet

/// Answers operators' searches, and returns a user's data in the form that the user sees.
///
/// - `GET /operator/search?text=` (operator)
/// - `GET /operator/timeline?user_id=` (operator)
/// - `GET /operator/balance?user_id=`; also `transactions`, `purchases`, `subscriptions`, `bookings` (operator)
struct OperatorReadRoutes {
    let wallet: Wallet

    func add(to group: some RouterMethods<OperatorRequestContext>) {
        group.get("operator/search", use: self.search)
        group.get("operator/timeline", use: self.timeline)
        group.get("operator/balance", use: self.balance)
        group.get("operator/transactions", use: self.transactions)
        group.get("operator/purchases", use: self.purchases)
        group.get("operator/subscriptions", use: self.subscriptions)
        group.get("operator/bookings", use: self.bookings)
    }

    @Sendable
    private func search(
        _ request: Request,
        _ context: OperatorRequestContext
    ) async throws -> JSONAnswer<SearchAnswer> {
        let text = try request.query(naming: "text")
        return JSONAnswer(SearchAnswer(hits: try await self.wallet.search(text, limit: request.page().limit)))
    }

    @Sendable
    private func timeline(
        _ request: Request,
        _ context: OperatorRequestContext
    ) async throws -> JSONAnswer<PagedAnswer<TimelineFact>> {
        let user = try request.query(naming: "user_id")
        let page = try await self.wallet.timeline(of: UserID(rawValue: user), page: request.page())
        return JSONAnswer(PagedAnswer("facts", page))
    }

    @Sendable
    private func balance(_ request: Request, _ context: OperatorRequestContext) async throws -> WireAnswer {
        let balance = try await self.wallet.balance(of: self.user(in: request), in: request.walletEnvironment())
        return WireAnswer(json: balance.json())
    }

    @Sendable
    private func transactions(_ request: Request, _ context: OperatorRequestContext) async throws -> WireAnswer {
        let page = try await self.wallet.transactions(
            of: self.user(in: request),
            in: request.walletEnvironment(),
            page: request.page()
        )
        return WireAnswer(json: page.json())
    }

    @Sendable
    private func purchases(
        _ request: Request,
        _ context: OperatorRequestContext
    ) async throws -> JSONAnswer<PagedAnswer<Purchase>> {
        let page = try await self.wallet.purchases(
            of: self.user(in: request),
            in: request.walletEnvironment(),
            page: request.page()
        )
        return JSONAnswer(PagedAnswer("purchases", page))
    }

    @Sendable
    private func subscriptions(
        _ request: Request,
        _ context: OperatorRequestContext
    ) async throws -> JSONAnswer<SubscriptionOverview> {
        JSONAnswer(try await self.wallet.subscriptions(of: self.user(in: request), in: request.walletEnvironment()))
    }

    @Sendable
    private func bookings(_ request: Request, _ context: OperatorRequestContext) async throws -> WireAnswer {
        let user = try await self.user(in: request)
        return try await self.wallet.bookings(of: user, in: request.walletEnvironment(), asked: request)
    }

    /// Returns the user in the query; throws if the user is unknown, because a mistyped id would look like an empty
    /// wallet.
    private func user(in request: Request) async throws -> UserID {
        let user = UserID(rawValue: try request.query(naming: "user_id"))
        try await self.wallet.check(isKnown: user)
        return user
    }
}

extension Request {
    /// Returns a required query parameter that identifies something: 1 to 320 characters.
    fileprivate func query(naming name: String) throws -> String {
        try ParameterText.identifying(try self.query(name), name)
    }
}

/// The results of a search.
private struct SearchAnswer: Encodable {
    let hits: [SearchHit]
}
