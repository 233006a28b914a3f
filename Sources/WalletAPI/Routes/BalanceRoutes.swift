import Foundation
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
        group.get("transactions", use: self.transactions)
    }

    func addAdmitted(to group: some RouterMethods<UserRequestContext>) {
        group.get("balance/forecast", use: self.forecast)
    }

    @Sendable
    private func balance(_ request: Request, _ context: UserRequestContext) async throws -> Response {
        let environment = try await self.wallet.environment(of: context.user, in: request)
        let balance = try await self.wallet.balance(of: context.caller, in: environment)
        let tag = balance.entityTag
        let headers: HTTPFields = [
            .eTag: tag,
            .cacheControl: "private, no-cache",
            .vary: "Authorization, Wallet-Environment",
        ]
        if request.alreadyHolds(tag) { return Response(status: .notModified, headers: headers) }
        return WireAnswer(json: balance.json(), headers: headers).response(from: request, context: context)
    }

    @Sendable
    private func forecast(_ request: Request, _ context: UserRequestContext) async throws -> WireAnswer {
        let forecast = try await self.wallet.forecast(
            of: context.user,
            in: self.wallet.environment(of: context.user, in: request),
            at: request.instant("at")
        )
        return WireAnswer(
            json: forecast.json(),
            headers: [.cacheControl: "private, no-cache", .vary: "Authorization, Wallet-Environment"]
        )
    }

    @Sendable
    private func transactions(_ request: Request, _ context: UserRequestContext) async throws -> WireAnswer {
        let page = try await self.wallet.transactions(
            of: context.caller,
            in: self.wallet.environment(of: context.user, in: request),
            page: request.page()
        )
        return WireAnswer(json: page.json())
    }
}

extension Balance {
    /// The balance as JSON, in every response that contains a balance.
    func json() -> WireText {
        """
        {"app_account_token":\(self.appAccountToken),"as_of":\(self.asOf),"credits":\(self.credits),\
        "environment":\(self.environment.rawValue),"lots":\(list: self.lots, { $0.json() }),\
        "next_rollover_at":\(self.nextRolloverAt),"owed_credits":\(self.owedCredits),\
        "owed_visits":\(self.owedVisits),"unlimited":\(self.unlimited),\
        "upcoming_expirations":\(list: self.upcomingExpirations, { $0.json() }),"user_id":\(self.userID),\
        "version":\(self.version),"visits":\(self.visits)}
        """
    }
}

extension Balance.Lot {
    fileprivate func json() -> WireText {
        """
        {"expires_at":\(self.expiresAt),"granted":\(self.granted),"lot_id":\(self.lotID),\
        "product_id":\(self.productID),"remaining":\(self.remaining),"source":\(self.source),\
        "unit":\(self.unit.rawValue)}
        """
    }
}

extension Balance.Expiration {
    fileprivate func json() -> WireText {
        "{\"amount\":\(self.amount),\"expires_at\":\(self.expiresAt),\"unit\":\(self.unit.rawValue)}"
    }
}

extension Page<LedgerEntry> {
    /// The page as JSON: `{"entries": […], "next_cursor": null}`.
    func json() -> WireText {
        "{\"entries\":\(list: self.items, { $0.json() }),\"next_cursor\":\(self.nextCursor)}"
    }
}

extension LedgerEntry {
    fileprivate func json() -> WireText {
        """
        {"amount":\(self.amount),"at":\(self.at),"balance_after":\(self.balanceAfter),\
        "booking_id":\(self.bookingID),"hash":\(self.hash),"kind":\(self.kind),"lot_id":\(self.lotID),\
        "reason":\(self.reason),"transaction_id":\(self.transactionID),"unit":\(self.unit?.rawValue),\
        "version":\(self.version)}
        """
    }
}

extension Request {
    /// Returns whether `If-None-Match` names the tag (RFC 9110, 13.1.2: weak comparison).
    ///
    /// Lists of more than 1,000 bytes are ignored, because comparing them would take longer than responding.
    func alreadyHolds(_ tag: String) -> Bool {
        self.headers[values: .ifNoneMatch].prefix(16).contains { value in
            // Most clients send exactly the tag.
            value == tag
                || value.utf8.count <= 1_000
                    && value.split(separator: ",").contains { candidate in
                        let text = candidate.trimmingCharacters(in: CharacterSet(charactersIn: " \t"))
                        return text == "*" || Self.opaqueTag(text) == Self.opaqueTag(tag)
                    }
        }
    }

    /// Returns a tag without the mark of a weak tag.
    private static func opaqueTag(_ tag: String) -> Substring {
        tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]
    }
}
