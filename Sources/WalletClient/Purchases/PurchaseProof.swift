/// What shows the wallet that the user bought something.
public enum PurchaseProof: Sendable, Hashable {
    /// A transaction that the App Store signed, as StoreKit gives it (`jwsRepresentation`).
    ///
    /// The wallet verifies the signature by itself, so this works while the store is down.
    case signedTransaction(String)
    /// An App Store receipt in base64, and a transaction that must be in it.
    case receipt(String, transactionID: String? = nil)
    /// The id of an App Store transaction.
    ///
    /// An id proves nothing by itself: the purchase must have been made with ``Balance/appAccountToken``.
    case transactionID(String)
    /// A purchase token of Google Play, and the product as Google Play names it.
    case playPurchase(token: String, productID: String)
    /// What RevenueCat knows of the user, for purchases whose webhook is late.
    ///
    /// RevenueCat must know the user by the wallet's user id.
    case revenueCat
}
