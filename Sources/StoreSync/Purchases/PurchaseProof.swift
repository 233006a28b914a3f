/// A proof of purchase in one of the forms that the stores know.
public enum PurchaseProof: Sendable, Equatable {
    /// An App Store receipt in base64.
    case receipt(String)
    /// Transactions that the App Store signed, and at most one proof of the app itself.
    case signed([String], appTransaction: String?)
    /// The id of an App Store transaction, which proves nothing by itself.
    case transactionID(String)
    /// A Google Play purchase.
    case purchaseToken(String, productID: String)
    /// Whatever RevenueCat knows of the user.
    case revenueCat
}
