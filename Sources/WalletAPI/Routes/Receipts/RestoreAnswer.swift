import Wallet

/// The result of restoring purchases with a proof.
struct RestoreAnswer: Encodable, Sendable {
    /// A purchase that the caller owns now.
    struct Restored: Encodable, Sendable {
        @Nullable var transactionID: String?
        @Nullable var productID: String?
        @Nullable var unit: CreditUnit?
        let amount: Int64
        let remaining: Int64
        let result: String

        enum CodingKeys: String, CodingKey {
            case transactionID = "transaction_id"
            case productID = "product_id"
            case unit, amount, remaining, result
        }
    }

    let restored: [Restored]
    let skipped: [ReceiptAnswer.Skipped]
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
                result: purchase.result
            )
        }
        self.skipped = found.filter { !$0.isHeld }.map { purchase in
            ReceiptAnswer.Skipped(transactionID: purchase.transactionID, reason: purchase.result)
        }
        self.subscriptions = subscriptions
        self.balance = balance
        self.environment = environment
        self.unproven = found.map(\.unproven).max() ?? 0
    }
}

extension Subscription {
    /// A Boolean value that indicates whether the subscription is in effect now.
    var isLive: Bool { ["trial", "active", "grace"].contains(self.status) }
}
