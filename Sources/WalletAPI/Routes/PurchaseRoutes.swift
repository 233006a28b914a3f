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
        group.get("subscriptions", use: self.subscriptions)
        group.get("passes", use: self.passes)
    }

    func addAdmitted(to group: some RouterMethods<UserRequestContext>) {
        group.get("purchases", use: self.list)
        group.get("purchases/:transaction_id", use: self.one)
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
        return JSONAnswer(try await self.wallet.subscriptions(of: context.caller, in: environment))
    }

    @Sendable
    private func passes(_ request: Request, _ context: UserRequestContext) async throws -> WireAnswer {
        let page = try await self.wallet.passes(
            of: context.caller,
            in: self.wallet.environment(of: context.user, in: request),
            page: request.page()
        )
        return WireAnswer(
            json: "{\"next_cursor\":\(page.nextCursor),\"passes\":\(list: page.items, { $0.json() })}"
        )
    }

    @Sendable
    private func consume(_ request: Request, _ context: UserRequestContext) async throws -> JSONAnswer<ConsumeResult> {
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

extension Pass {
    fileprivate func json() -> WireText {
        """
        {"expires_at":\(self.expiresAt),"granted":\(self.granted),"history":\(list: self.history, { $0.json() }),\
        "is_active":\(self.isActive),"lot_id":\(self.lotID),"name":\(self.name),"product_id":\(self.productID),\
        "purchased_at":\(self.purchasedAt),"remaining":\(self.remaining),"starts_at":\(self.startsAt),\
        "transaction_id":\(self.transactionID)}
        """
    }
}

extension Pass.Use {
    fileprivate func json() -> WireText {
        """
        {"amount":\(self.amount),"booking_id":\(self.bookingID),"class_id":\(self.classID),\
        "class_title":\(self.classTitle),"reference":\(self.reference),"used_at":\(self.usedAt)}
        """
    }
}
