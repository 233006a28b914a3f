import Foundation
import Stores
import WalletAPI

/// Which stores are enabled, and how each is reached; what is nil is not enabled.
struct StoresConfiguration: Sendable {
    var receipts: AppStoreReceiptConfiguration?
    var signedData: SignedDataConfiguration?
    var serverAPI: AppStoreServerAPIConfiguration?
    var offers: OfferKey?
    var sharesConsumption = false
    var revenueCatWebhook: RevenueCatWebhookConfiguration?
    var revenueCat: RevenueCatAPIConfiguration?
    var googlePlay: GooglePlayConfiguration?
    var pushes: PushConfiguration?
    var refundReviews: RefundReviewAnswer.Preference?
    /// From when on each store of sale grants.
    var grantsFrom: [String: Date] = [:]

    /// The key that signs promotional offers, and for which app.
    struct OfferKey: Sendable {
        let keyID: String
        let privateKeyPEM: String
        let bundleID: String
    }
}
