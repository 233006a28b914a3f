package import Foundation
package import Stores

/// The configuration of the enabled stores; nil values are disabled.
package struct StoresConfiguration: Sendable {
    package var receipts: AppStoreReceiptConfiguration?
    package var signedData: SignedDataConfiguration?
    package var serverAPI: AppStoreServerAPIConfiguration?
    package var offers: OfferKey?
    package var sharesConsumption = false
    package var revenueCatWebhook: RevenueCatWebhookConfiguration?
    package var revenueCat: RevenueCatAPIConfiguration?
    package var googlePlay: GooglePlayConfiguration?
    package var pushes: PushConfiguration?
    package var refundReviews: RefundReviewAnswer.Preference?
    /// The instant from which purchases grant, for each store of sale.
    package var grantsFrom: [String: Date] = [:]

    /// Creates a configuration that enables no store.
    package init() {}

    /// The key that signs promotional offers, and the app that it belongs to.
    package struct OfferKey: Sendable {
        package let keyID: String
        package let privateKeyPEM: String
        package let bundleID: String

        /// Creates a key.
        ///
        /// - Parameters:
        ///   - keyID: The key's id.
        ///   - privateKeyPEM: The private key.
        ///   - bundleID: The app that the key belongs to.
        package init(keyID: String, privateKeyPEM: String, bundleID: String) {
            self.keyID = keyID
            self.privateKeyPEM = privateKeyPEM
            self.bundleID = bundleID
        }
    }
}
