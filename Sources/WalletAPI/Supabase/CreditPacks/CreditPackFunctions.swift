import Hummingbird
import Wallet

/// The function `credit-packs`: the packs on sale, and the caller's balance, transactions and purchases.
///
/// - `GET /functions/v1/credit-packs/available` (public)
/// - `GET /functions/v1/credit-packs/balance` (user)
/// - `GET /functions/v1/credit-packs/transactions` (user)
/// - `GET /functions/v1/credit-packs/purchases` (user)
struct CreditPackFunctions {
    let wallet: Wallet
    let desk: SupabaseResponder

    func addPublic(to group: some RouterMethods<AppRequestContext>) {
        group.get("credit-packs/available", use: self.available)
    }

    func add(to group: some RouterMethods<UserRequestContext>) {
        group.get("credit-packs/balance", use: self.balance)
        group.get("credit-packs/transactions", use: self.transactions)
        group.get("credit-packs/purchases", use: self.purchases)
    }

    /// Passes are excluded, because they contain visits and not credits.
    @Sendable
    private func available(
        _ request: Request,
        _ context: AppRequestContext
    ) async throws -> JSONAnswer<Envelope<[PackRow]>> {
        let packs = try await self.wallet.packs().filter { $0.unit == .credit }
        return JSONAnswer(Envelope(packs.map(PackRow.init), requestID: context.requestID))
    }

    @Sendable
    private func balance(
        _ request: Request,
        _ context: UserRequestContext
    ) async throws -> JSONAnswer<Envelope<BalanceRow>> {
        let environment = try await self.wallet.environment(of: context.user, in: request)
        let standing = try await self.wallet.creditSummary(of: context.user, in: environment)
        return self.desk.answer(BalanceRow(standing, of: context.user, in: environment), context)
    }

    @Sendable
    private func transactions(
        _ request: Request,
        _ context: UserRequestContext
    ) async throws -> JSONAnswer<Envelope<[TransactionRow]>> {
        let part = try OffsetQuery.offset(request, limit: 50)
        let environment = try await self.wallet.environment(of: context.user, in: request)
        let found = try await self.wallet.creditMovements(of: context.user, in: environment, part: part.request)
        let rows = found.items.map { TransactionRow($0, of: context.user) }
        return self.desk.answer(rows, of: found.total, part, context)
    }

    @Sendable
    private func purchases(
        _ request: Request,
        _ context: UserRequestContext
    ) async throws -> JSONAnswer<Envelope<[PurchaseRow]>> {
        let part = try OffsetQuery.offset(request, limit: 20)
        let environment = try await self.wallet.environment(of: context.user, in: request)
        let found = try await self.wallet.packPurchases(of: context.user, in: environment, part: part.request)
        let rows = found.items.map { PurchaseRow($0, of: context.user) }
        return self.desk.answer(rows, of: found.total, part, context)
    }
}
