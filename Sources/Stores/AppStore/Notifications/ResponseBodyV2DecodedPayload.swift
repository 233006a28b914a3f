public import Foundation

/// The payload of a signed notification, with the App Store's own member names.
///
/// A notification of the store has exactly one of ``data``, ``summary``, ``externalPurchaseToken`` and ``appData``.
public struct ResponseBodyV2DecodedPayload: Decodable, Hashable, Sendable {
    /// The type of the notification.
    public var notificationType: NotificationType?
    /// The subtype, which refines the type.
    public var subtype: NotificationSubtype?
    /// The id of the notification, the same for every delivery.
    public var notificationUUID: String?
    /// The version of the format, 2.0.
    public var version: String?
    /// The time at which the store signed the notification, the same for every delivery.
    public var signedDate: Date?
    /// The app and the transaction that the notification is about.
    public var data: TransactionData?
    /// The result of extending many subscriptions.
    public var summary: Summary?
    /// A token for purchases outside the store.
    public var externalPurchaseToken: ExternalPurchaseToken?
    /// The app that the notification is about, if it is not about a transaction.
    public var appData: AppData?

    /// The app and the transaction that a notification is about.
    public struct TransactionData: Decodable, Hashable, Sendable {
        /// The App Store's number of the app; absent outside production.
        public var appAppleId: Int64?
        /// The bundle id of the app.
        public var bundleId: String?
        /// The version of the app.
        public var bundleVersion: String?
        /// The environment of the store.
        public var environment: AppStoreEnvironment?
        /// The transaction, as a signed JWS of its own.
        public var signedTransactionInfo: String?
        /// The renewal information, as a signed JWS of its own.
        public var signedRenewalInfo: String?
        /// 1 active, 2 expired, 3 in billing retry, 4 in grace, 5 revoked.
        public var status: Int?
        /// The customer's reason for requesting a refund.
        public var consumptionRequestReason: String?
    }

    /// The result of extending many subscriptions.
    public struct Summary: Decodable, Hashable, Sendable {
        /// The App Store's number of the app; absent outside production.
        public var appAppleId: Int64?
        /// The bundle id of the app.
        public var bundleId: String?
        /// The environment of the store.
        public var environment: AppStoreEnvironment?
        /// The product id.
        public var productId: String?
        /// The developer's id of the request.
        public var requestIdentifier: String?
        /// The number of subscriptions that were extended.
        public var succeededCount: Int64?
        /// The number of subscriptions that were not extended.
        public var failedCount: Int64?
    }

    /// A token for purchases outside the store.
    public struct ExternalPurchaseToken: Decodable, Hashable, Sendable {
        /// The token's id; in the sandbox it begins with SANDBOX.
        public var externalPurchaseId: String?
        /// The App Store's number of the app.
        public var appAppleId: Int64?
        /// The bundle id of the app.
        public var bundleId: String?
    }

    /// The app that a notification is about.
    public struct AppData: Decodable, Hashable, Sendable {
        /// The App Store's number of the app; absent outside production.
        public var appAppleId: Int64?
        /// The bundle id of the app.
        public var bundleId: String?
        /// The environment of the store.
        public var environment: AppStoreEnvironment?
    }
}
