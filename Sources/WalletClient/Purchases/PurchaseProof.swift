/// A proof that the user bought a product.
public enum PurchaseProof: Sendable, Hashable {
    /// A transaction that the App Store signed (`jwsRepresentation` in StoreKit).
    ///
    /// The wallet verifies the signature itself, so this works while the App Store is unavailable.
    case signedTransaction(String)
    /// An App Store receipt in base64, and the id of a transaction that the receipt must contain.
    case receipt(String, transactionID: String? = nil)
    /// The id of an App Store transaction.
    ///
    /// The id alone proves nothing: the purchase must have been made with ``Balance/appAccountToken``.
    case transactionID(String)
    /// A purchase token of Google Play, and the Google Play product id.
    case playPurchase(token: String, productID: String)
    /// A request to read the user's purchases from RevenueCat, for purchases whose webhook is late.
    ///
    /// The user's RevenueCat id must be the wallet's user id.
    case revenueCat
}
