import Foundation

/// Everything that the stores remember, as it stands in the state file.
struct SandboxState: Codable, Sendable {
    /// How far the stores' clock is ahead of the machine's.
    var offsetSeconds = 0
    /// The last id given out; transactions, orders and billing periods share the count.
    var lastID = Int.random(in: 2_000_000_100_000_000..<2_000_000_900_000_000)
    var transactions: [String: SandboxTransaction] = [:]
    /// The subscriptions by their original transaction ids.
    var chains: [String: SandboxSubscription] = [:]
    var receipts: [String: SandboxReceipt] = [:]
    /// Which receipt a token stands for.
    ///
    /// Every purchase gives a new token, as a device's receipt changes with every
    /// purchase; older tokens go on standing for the same receipt.
    var tokens: [String: String] = [:]
    /// The App Store's id of a user's copy of an app, by side, app and user.
    var appTransactionIDs: [String: String] = [:]
    /// What app servers reported of consumption, oldest first.
    var consumptions: [SandboxConsumption] = []
    /// What app servers answered to reviews of refunds, oldest first.
    var refundReviews: [SandboxConsumption]?

    mutating func nextID() -> String {
        self.lastID += 1
        return String(self.lastID)
    }

    /// The id of a user's copy of an app, given out when it is first asked for.
    mutating func appTransactionID(for key: String) -> String {
        if let id = self.appTransactionIDs[key] { return id }
        let id = self.nextID()
        self.appTransactionIDs[key] = id
        return id
    }
}

extension SandboxState {
    /// The periods of a subscription, oldest first.
    ///
    /// Periods that began at one instant stand in the order in which they were made.
    func periods(of originalID: String) -> [SandboxTransaction] {
        self.transactions.values
            .filter { $0.originalID == originalID && $0.kind == .subscription }
            .sorted { ($0.purchasedAt, $0.lineItemID ?? "") < ($1.purchasedAt, $1.lineItemID ?? "") }
    }

    /// The transactions that go by a purchase token, oldest first.
    func transactions(ofPurchaseToken token: String) -> [SandboxTransaction] {
        self.transactions.values
            .filter { $0.purchaseToken == token }
            .sorted { ($0.purchasedAt, $0.lineItemID ?? "") < ($1.purchasedAt, $1.lineItemID ?? "") }
    }

    /// The user to whom a transaction belongs as RevenueCat sees it: transfers move subscriptions only there.
    func customer(of transaction: SandboxTransaction) -> String {
        self.chains[transaction.originalID]?.transferredTo ?? transaction.userID
    }
}
