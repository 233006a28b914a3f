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
