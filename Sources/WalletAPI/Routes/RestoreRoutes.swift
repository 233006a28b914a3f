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
    private func restore(_ request: Request, _ context: UserRequestContext) async throws -> JSONAnswer<RestoreResult> {
        try await self.limiter.answer(context.user) {
            let submission = try await request.json(ReceiptSubmission.self, upTo: BodyLimit.receipts)
            let verified = try await self.verifier.verify(submission.proof(restoring: true), of: context.user)
            return try await self.restore(verified, for: context.caller)
        }
    }

    private func restore(_ verified: VerifiedPurchases, for caller: Caller) async throws -> RestoreResult {
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
        return RestoreResult(
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

extension Subscription {
    /// A Boolean value that indicates whether the subscription is in effect now.
    fileprivate var isLive: Bool { ["trial", "active", "grace"].contains(self.status) }
}

/// The result of restoring purchases with a proof.
private struct RestoreResult: Encodable, Sendable {
    /// A purchase that the caller owns now.
    struct Restored: Encodable, Sendable {
        @Nullable var transactionID: String?
        @Nullable var productID: String?
        @Nullable var unit: CreditUnit?
        let amount: Int64
        let remaining: Int64
        let lots: [PurchaseLot]
        let result: String

        enum CodingKeys: String, CodingKey {
            case transactionID = "transaction_id"
            case productID = "product_id"
            case unit, amount, remaining, lots, result
        }
    }

    let restored: [Restored]
    let skipped: [ReceiptResult.Skipped]
    let subscriptions: [Subscription]
    let balance: BalanceSummary
    let environment: WalletEnvironment
    /// The number of purchases of former accounts that have a balance and were not in the proof.
    ///
    /// A receipt no longer contains consumables that the app has finished.
    let unproven: Int64

    init(
        found: [RestoredPurchase],
        subscriptions: [Subscription],
        balance: BalanceSummary,
        environment: WalletEnvironment
    ) {
        self.restored = found.filter(\.isHeld).map { purchase in
            Restored(
                transactionID: purchase.transactionID,
                productID: purchase.productID,
                unit: purchase.unit,
                amount: purchase.amount,
                remaining: purchase.remaining,
                lots: purchase.lots,
                result: purchase.result
            )
        }
        self.skipped = found.filter { !$0.isHeld }.map { purchase in
            ReceiptResult.Skipped(transactionID: purchase.transactionID, reason: purchase.result)
        }
        self.subscriptions = subscriptions
        self.balance = balance
        self.environment = environment
        self.unproven = found.map(\.unproven).max() ?? 0
    }
}
