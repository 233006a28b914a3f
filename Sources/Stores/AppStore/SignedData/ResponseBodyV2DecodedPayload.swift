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
        /// The environment of the store.
        public var environment: AppStoreEnvironment?
        /// The transaction in a separate JWS.
        public var signedTransactionInfo: String?
        /// The renewal information in a separate JWS.
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

extension ResponseBodyV2DecodedPayload: SignedPayload {
    var signedAt: Date? { self.signedDate }
    var namedEnvironment: AppStoreEnvironment? { self.identity?.environment }

    /// The app and the store environment, from the first part that is present; nil if none is, which does not occur in
    /// the store's notifications.
    var identity: AppIdentity? {
        if let data = self.data {
            AppIdentity(bundleID: data.bundleId, appAppleID: data.appAppleId, environment: data.environment)
        } else if let summary = self.summary {
            AppIdentity(bundleID: summary.bundleId, appAppleID: summary.appAppleId, environment: summary.environment)
        } else if let token = self.externalPurchaseToken {
            AppIdentity(bundleID: token.bundleId, appAppleID: token.appAppleId, environment: token.environment)
        } else if let app = self.appData {
            AppIdentity(bundleID: app.bundleId, appAppleID: app.appAppleId, environment: app.environment)
        } else {
            nil
        }
    }
}

extension ResponseBodyV2DecodedPayload.ExternalPurchaseToken {
    /// The store environment; the token reveals it only by the prefix of its id.
    fileprivate var environment: AppStoreEnvironment? {
        guard let id = self.externalPurchaseId else { return nil }
        return id.hasPrefix("SANDBOX") ? .sandbox : .production
    }
}

/// The type of an App Store Server Notification; unknown types survive decoding.
public struct NotificationType: RawRepresentable, Decodable, Hashable, Sendable {
    /// The type as the store writes it.
    public let rawValue: String

    /// Creates a type.
    /// - Parameter rawValue: The type as the store writes it.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A subscription was bought, for the first time or again.
    public static let subscribed = NotificationType(rawValue: "SUBSCRIBED")
    /// A subscription renewed.
    public static let didRenew = NotificationType(rawValue: "DID_RENEW")
    /// The customer chose another product, for the next period or with immediate effect.
    public static let didChangeRenewalPreference = NotificationType(rawValue: "DID_CHANGE_RENEWAL_PREF")
    /// Renewal was turned on or off.
    public static let didChangeRenewalStatus = NotificationType(rawValue: "DID_CHANGE_RENEWAL_STATUS")
    /// The customer redeemed an offer.
    public static let offerRedeemed = NotificationType(rawValue: "OFFER_REDEEMED")
    /// A payment failed.
    public static let didFailToRenew = NotificationType(rawValue: "DID_FAIL_TO_RENEW")
    /// The grace period, in which access continues without payment, ended.
    public static let gracePeriodExpired = NotificationType(rawValue: "GRACE_PERIOD_EXPIRED")
    /// A subscription ended.
    public static let expired = NotificationType(rawValue: "EXPIRED")
    /// A higher price was announced or accepted.
    public static let priceIncrease = NotificationType(rawValue: "PRICE_INCREASE")
    /// A purchase was refunded.
    public static let refund = NotificationType(rawValue: "REFUND")
    /// A refund was requested and declined.
    public static let refundDeclined = NotificationType(rawValue: "REFUND_DECLINED")
    /// A refund was reversed.
    public static let refundReversed = NotificationType(rawValue: "REFUND_REVERSED")
    /// A refund was requested, and the store requests information about the consumption.
    public static let consumptionRequest = NotificationType(rawValue: "CONSUMPTION_REQUEST")
    /// The developer extended a subscription.
    public static let renewalExtended = NotificationType(rawValue: "RENEWAL_EXTENDED")
    /// The result of extending many subscriptions, or of one of them.
    public static let renewalExtension = NotificationType(rawValue: "RENEWAL_EXTENSION")
    /// Family sharing ended.
    public static let revoke = NotificationType(rawValue: "REVOKE")
    /// A one-time product was bought.
    public static let oneTimeCharge = NotificationType(rawValue: "ONE_TIME_CHARGE")
    /// A token for purchases outside the store was created.
    public static let externalPurchaseToken = NotificationType(rawValue: "EXTERNAL_PURCHASE_TOKEN")
    /// A guardian withdrew consent to the app.
    public static let rescindConsent = NotificationType(rawValue: "RESCIND_CONSENT")
    /// A subscription's description changed.
    public static let metadataUpdate = NotificationType(rawValue: "METADATA_UPDATE")
    /// A subscription moved to another sales model.
    public static let migration = NotificationType(rawValue: "MIGRATION")
    /// A subscription's price changed.
    public static let priceChange = NotificationType(rawValue: "PRICE_CHANGE")
    /// The developer requested a test notification.
    public static let test = NotificationType(rawValue: "TEST")
}

/// The subtype of an App Store Server Notification; unknown subtypes survive decoding.
public struct NotificationSubtype: RawRepresentable, Decodable, Hashable, Sendable {
    /// The subtype as the store writes it.
    public let rawValue: String

    /// Creates a subtype.
    /// - Parameter rawValue: The subtype as the store writes it.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Renewal was turned on.
    public static let autoRenewEnabled = NotificationSubtype(rawValue: "AUTO_RENEW_ENABLED")
    /// Renewal was turned off.
    public static let autoRenewDisabled = NotificationSubtype(rawValue: "AUTO_RENEW_DISABLED")
}
