import HTTPTypes
import Hummingbird
import StoreSync
import Wallet

/// Restores the purchases of a deleted account.
///
/// - `POST /restore` (user)
struct RestoreRoutes {
    let wallet: Wallet
    let verifier: PurchaseVerifier
    let limiter: UserRateLimiter

    func add(to group: some RouterMethods<UserRequestContext>) {
        group.post("restore", use: self.restore)
    }

    @Sendable
    private func restore(_ request: Request, _ context: UserRequestContext) async throws -> JSONAnswer<RestoreAnswer> {
        try await self.limiter.answer(context.user) {
            let submission = try await request.json(ReceiptSubmission.self, upTo: BodyLimit.receipts)
            let verified = try await self.verifier.verify(submission.proof(restoring: true), of: context.user)
            return try await self.restore(verified, for: context.caller)
        }
    }

    private func restore(_ verified: VerifiedPurchases, for caller: Caller) async throws -> RestoreAnswer {
        let found = try await self.wallet.restore(
            for: caller,
            facts: verified.facts,
            appTransactionID: verified.appTransactionID
        )
        if let refusal = StoreSyncError.foreign(found.map(\.result)) { throw refusal }
        let environment = WalletEnvironment(verified.environment)
        let holdings = try await self.wallet.holdings(of: caller.user, in: environment)
        guard found.contains(where: \.isHeld) || holdings.subscriptions.contains(where: \.isLive) else {
            throw Self.nothingToRestore
        }
        return RestoreAnswer(
            found: found,
            subscriptions: holdings.subscriptions,
            balance: holdings.balance,
            environment: environment
        )
    }

    private static let nothingToRestore = Problem(
        .notFound,
        "no-active-subscription",
        "There is nothing to restore. Consumables that the app has finished are no longer in a receipt; "
            + "their signed transactions, if the app kept them, can still be sent."
    )
}
