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
}
