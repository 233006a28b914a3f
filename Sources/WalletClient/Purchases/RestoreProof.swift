/// What shows the wallet that purchases of a deleted account are the user's.
public enum RestoreProof: Sendable, Hashable {
    /// An App Store receipt in base64.
    ///
    /// It holds no consumables that the app has finished; ``RestoreResult/unproven`` is the number of those.
    case receipt(String)
    /// Transactions as StoreKit gives them, 200 at most, and the app's own proof if the app has it.
    case signedTransactions([String], appTransaction: String? = nil)
}
