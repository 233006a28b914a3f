import HTTPTypes
import Stores

/// Purchases that a caller has proven, as the store describes them.
struct ProvenPurchases: Sendable {
    var environment: StoreEnvironment
    var facts: [StoreFact]
    var unreadable: [VerifiedReceipt.SkippedTransaction] = []
    /// The caller's copy of the app, where that was proven.
    var appTransactionID: String?
    /// The store itself says that these are the caller's.
    var isTold = false

    /// Refuses a proof of nothing, and one that lacks the purchase that it was sent for.
    ///
    /// - Parameter named: The transaction that must be in it.
    /// - Throws: ``Problem`` 422 `no-purchase-found`.
    func requirePurchase(named: String?) throws {
        let known = self.facts.map(\.transactionID) + self.unreadable.compactMap(\.transactionID)
        let isEmpty = self.facts.isEmpty && self.unreadable.isEmpty
        guard !isEmpty, named.map(known.contains) ?? true else {
            throw Problem(.unprocessableContent, "no-purchase-found", "The proof holds no such purchase.")
        }
    }
}
