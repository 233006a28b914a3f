public import Stores

/// Purchases that a user has proved, as the store describes them.
public struct VerifiedPurchases: Sendable {
    /// The side of the store.
    public internal(set) var environment: StoreEnvironment
    /// What the store says of each purchase.
    public internal(set) var facts: [StoreFact]
    /// Transactions of a receipt that could not be read.
    public internal(set) var unreadable: [VerifiedReceipt.SkippedTransaction] = []
    /// The user's copy of the app, where that was proved.
    public internal(set) var appTransactionID: String?
    /// Whether the store itself says that these are the user's.
    public internal(set) var isAttestedByStore = false

    /// Refuses a proof of nothing, and one that lacks the purchase that it was sent for.
    func requirePurchase(named: String?) throws {
        let known = self.facts.map(\.transactionID) + self.unreadable.compactMap(\.transactionID)
        let isEmpty = self.facts.isEmpty && self.unreadable.isEmpty
        guard !isEmpty, named.map(known.contains) ?? true else { throw StoreSyncError(.noPurchaseFound) }
    }
}
