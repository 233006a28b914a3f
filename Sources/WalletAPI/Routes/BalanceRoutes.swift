import HTTPTypes
import Hummingbird
import Wallet

/// Returns the balance, its forecast and the ledger entries of a user.
///
/// - `GET /balance` (user)
/// - `GET /balance/forecast` (user)
/// - `GET /transactions` (user)
struct BalanceRoutes {
    let wallet: Wallet

    func add(to group: some RouterMethods<UserRequestContext>) {
        group.get("balance", use: self.balance)
        group.get("balance/forecast", use: self.forecast)
        group.get("transactions", use: self.transactions)
    }

    @Sendable
    private func balance(_ request: Request, _ context: UserRequestContext) async throws -> Response {
        let environment = try await self.wallet.environment(of: context.user, in: request)
        let balance = try await self.wallet.balance(of: context.user, in: environment)
        let headers: HTTPFields = [
            .eTag: balance.entityTag,
            .cacheControl: "private, no-cache",
            .vary: "Authorization, Wallet-Environment",
        ]
        if request.alreadyHolds(balance.entityTag) { return Response(status: .notModified, headers: headers) }
        return try JSONAnswer(balance, headers: headers).response(from: request, context: context)
    }

    @Sendable
    private func forecast(_ request: Request, _ context: UserRequestContext) async throws -> JSONAnswer<Balance> {
        JSONAnswer(
            try await self.wallet.forecast(
                of: context.user,
                in: self.wallet.environment(of: context.user, in: request),
                at: request.instant("at")
            ),
            headers: [.cacheControl: "private, no-cache", .vary: "Authorization, Wallet-Environment"]
        )
    }

    @Sendable
    private func transactions(
        _ request: Request,
        _ context: UserRequestContext
    ) async throws -> JSONAnswer<PagedAnswer<LedgerEntry>> {
        let page = try await self.wallet.transactions(
            of: context.user,
            in: self.wallet.environment(of: context.user, in: request),
            page: request.page()
        )
        return JSONAnswer(PagedAnswer("entries", page))
    }
}

extension Request {
    /// Returns whether `If-None-Match` names the tag (RFC 9110, 13.1.2: weak comparison).
    func alreadyHolds(_ tag: String) -> Bool {
        self.headers[values: .ifNoneMatch].contains { value in
            value.split(separator: ",").contains { candidate in
                let candidate = candidate.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }
                let text = String(candidate.reversed())
                return text == "*" || text == tag || text == "W/" + tag
            }
        }
    }
}
