public import Foundation

/// What a signed notification says, in the App Store's own names.
///
/// Exactly one of ``data``, ``summary``, ``externalPurchaseToken`` and ``appData`` is there in what the store sends.
public struct ResponseBodyV2DecodedPayload: Decodable, Hashable, Sendable {
    /// What happened.
    public var notificationType: NotificationType?
    /// What the type leaves open.
    public var subtype: NotificationSubtype?
    /// The notification's own id, the same at every delivery.
    public var notificationUUID: String?
    /// The version of the format, 2.0.
    public var version: String?
    /// When the store signed this, the same at every delivery.
    public var signedDate: Date?
    /// The app and the transaction that the notification is about.
    public var data: TransactionData?
    /// How the prolonging of many subscriptions went.
    public var summary: Summary?
    /// A token for purchases outside the store.
    public var externalPurchaseToken: ExternalPurchaseToken?
    /// The app that the notification is about, where no transaction is.
    public var appData: AppData?

    /// The app and the transaction that a notification is about.
    public struct TransactionData: Decodable, Hashable, Sendable {
        /// The App Store's number of the app; absent outside production.
        public var appAppleId: Int64?
        /// The app.
        public var bundleId: String?
        /// The version of the app.
        public var bundleVersion: String?
        /// The side of the store.
        public var environment: AppStoreEnvironment?
        /// The transaction, signed by itself.
        public var signedTransactionInfo: String?
        /// The renewal information, signed by itself.
        public var signedRenewalInfo: String?
        /// 1 active, 2 expired, 3 in billing retry, 4 in grace, 5 revoked.
        public var status: Int?
        /// Why the person asked for a refund.
        public var consumptionRequestReason: String?
    }

    /// How the prolonging of many subscriptions went.
    public struct Summary: Decodable, Hashable, Sendable {
        /// The App Store's number of the app; absent outside production.
        public var appAppleId: Int64?
        /// The app.
        public var bundleId: String?
        /// The side of the store.
        public var environment: AppStoreEnvironment?
        /// The product.
        public var productId: String?
        /// The developer's id of the request.
        public var requestIdentifier: String?
        /// How many subscriptions were prolonged.
        public var succeededCount: Int64?
        /// How many were not.
        public var failedCount: Int64?
    }

    /// A token for purchases outside the store.
    public struct ExternalPurchaseToken: Decodable, Hashable, Sendable {
        /// The token's id; it begins with SANDBOX on that side of the store.
        public var externalPurchaseId: String?
        /// The App Store's number of the app.
        public var appAppleId: Int64?
        /// The app.
        public var bundleId: String?
    }

    /// The app that a notification is about.
    public struct AppData: Decodable, Hashable, Sendable {
        /// The App Store's number of the app; absent outside production.
        public var appAppleId: Int64?
        /// The app.
        public var bundleId: String?
        /// The side of the store.
        public var environment: AppStoreEnvironment?
    }
}
