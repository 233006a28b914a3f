/// Every way to the stores that is configured; what is nil is not enabled.
public struct StoreClients: Sendable {
    /// Verifies App Store receipts.
    public var receipts: AppStoreReceiptVerifier?
    /// Verifies what the App Store signed.
    public var signedData: SignedDataVerifier?
    /// Asks the App Store about transactions.
    public var serverAPI: AppStoreServerAPI?
    /// Signs promotional offers.
    public var offers: PromotionalOfferSigner?
    /// The app that promotional offers are signed for.
    public var offerBundleID: String?
    /// The operator has the customers' consent to report to the App Store how much of a purchase was used.
    public var sharesConsumption = false
    /// Checks and reads RevenueCat's webhooks.
    public var revenueCatWebhook: RevenueCatWebhook?
    /// Asks RevenueCat about customers.
    public var revenueCat: RevenueCatAPI?
    /// Asks Google Play about purchases.
    public var googlePlay: GooglePlayAPI?
    /// How the operator answers Google Play's refund reviews; nil for not at all.
    public var refundReviews: RefundReviewAnswer.Preference?
    /// Reads Google Play's notifications.
    public var googlePlayNotifications: GooglePlayNotifications?

    /// Creates a set in which nothing is enabled.
    public init() {}
}
