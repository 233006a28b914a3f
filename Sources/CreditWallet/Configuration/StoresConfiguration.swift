import Foundation
import Stores
import WalletAPI

/// The configuration of the enabled stores; nil values are disabled.
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
    /// The instant from which purchases grant, for each store of sale.
    var grantsFrom: [String: Date] = [:]

    /// The key that signs promotional offers, and the app that it belongs to.
    struct OfferKey: Sendable {
        let keyID: String
        let privateKeyPEM: String
        let bundleID: String
    }
}
