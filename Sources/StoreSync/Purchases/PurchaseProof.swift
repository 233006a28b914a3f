/// A proof of purchase in one of the stores' forms.
public enum PurchaseProof: Sendable, Equatable {
    /// An App Store receipt in base64.
    case receipt(String)
    /// Transactions that the App Store signed, and at most one app transaction.
    case signed([String], appTransaction: String?)
    /// The id of an App Store transaction, which proves nothing by itself.
    case transactionID(String)
    /// A Google Play purchase.
    case purchaseToken(String, productID: String)
    /// The purchases that RevenueCat attributes to the user.
    case revenueCat
}
