public import Stores

/// Purchases that a user has proved, as the store describes them.
public struct VerifiedPurchases: Sendable {
    /// The store environment.
    public internal(set) var environment: StoreEnvironment
    /// The facts about each purchase.
    public internal(set) var facts: [StoreFact]
    /// Transactions of a receipt that could not be read.
    public internal(set) var unreadable: [VerifiedReceipt.SkippedTransaction] = []
    /// The id of the user's copy of the app, if it was proved.
    public internal(set) var appTransactionID: String?
    /// A Boolean value that indicates whether the store itself attributes these purchases to the user.
    public internal(set) var isAttestedByStore = false

    /// Throws if the proof contains no purchases or lacks the requested one.
    func requirePurchase(named: String?) throws {
        let known = self.facts.map(\.transactionID) + self.unreadable.compactMap(\.transactionID)
        let isEmpty = self.facts.isEmpty && self.unreadable.isEmpty
        guard !isEmpty, named.map(known.contains) ?? true else { throw StoreSyncError(.noPurchaseFound) }
    }
}
