/// The configured clients of the stores; a nil client is not enabled.
public struct StoreClients: Sendable {
    /// Verifies App Store receipts.
    public var receipts: AppStoreReceiptVerifier?
    /// Verifies data that the App Store signed.
    public var signedData: SignedDataVerifier?
    /// Looks up transactions at the App Store.
    public var serverAPI: AppStoreServerAPI?
    /// Signs promotional offers.
    public var offers: PromotionalOfferSigner?
    /// The app that promotional offers are signed for.
    public var offerBundleID: String?
    /// A Boolean value that indicates whether the operator has the customers' consent to report consumption to the App
    /// Store.
    public var sharesConsumption = false
    /// Checks and reads RevenueCat's webhooks.
    public var revenueCatWebhook: RevenueCatWebhook?
    /// Looks up customers at RevenueCat.
    public var revenueCat: RevenueCatAPI?
    /// Looks up purchases at Google Play.
    public var googlePlay: GooglePlayAPI?
    /// The operator's preference in answers to Google Play's refund reviews; nil if reviews are not answered.
    public var refundReviews: RefundReviewAnswer.Preference?
    /// Reads Google Play's notifications.
    public var googlePlayNotifications: GooglePlayNotifications?

    /// Creates a set of clients of which none is enabled.
    public init() {}
}
