/// A proof that purchases of a deleted account belong to the user.
public enum RestoreProof: Sendable, Hashable {
    /// An App Store receipt in base64.
    ///
    /// A receipt does not contain consumables that the app has finished. ``RestoreResult/unproven`` counts the
    /// purchases that the proof did not cover.
    case receipt(String)
    /// Up to 200 signed StoreKit transactions, and the signed app transaction if the app has it.
    case signedTransactions([String], appTransaction: String? = nil)
}
