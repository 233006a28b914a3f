/// The type of an App Store Server Notification; types that this build does not know survive decoding.
public struct NotificationType: RawRepresentable, Decodable, Hashable, Sendable {
    /// The type as the store writes it.
    public let rawValue: String

    /// Creates a type.
    /// - Parameter rawValue: the type as the store writes it.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A subscription was bought, for the first time or again.
    public static let subscribed = NotificationType(rawValue: "SUBSCRIBED")
    /// A subscription renewed.
    public static let didRenew = NotificationType(rawValue: "DID_RENEW")
    /// Another product was chosen for the next period, or from now on.
    public static let didChangeRenewalPreference = NotificationType(rawValue: "DID_CHANGE_RENEWAL_PREF")
    /// Renewal was turned on or off.
    public static let didChangeRenewalStatus = NotificationType(rawValue: "DID_CHANGE_RENEWAL_STATUS")
    /// An offer was taken.
    public static let offerRedeemed = NotificationType(rawValue: "OFFER_REDEEMED")
    /// A payment failed.
    public static let didFailToRenew = NotificationType(rawValue: "DID_FAIL_TO_RENEW")
    /// The time of access without payment is over.
    public static let gracePeriodExpired = NotificationType(rawValue: "GRACE_PERIOD_EXPIRED")
    /// A subscription ended.
    public static let expired = NotificationType(rawValue: "EXPIRED")
    /// A higher price was announced or accepted.
    public static let priceIncrease = NotificationType(rawValue: "PRICE_INCREASE")
    /// Money was given back.
    public static let refund = NotificationType(rawValue: "REFUND")
    /// A refund was asked for and not given.
    public static let refundDeclined = NotificationType(rawValue: "REFUND_DECLINED")
    /// A refund was undone.
    public static let refundReversed = NotificationType(rawValue: "REFUND_REVERSED")
    /// A refund was asked for, and the store wants to know how much was used.
    public static let consumptionRequest = NotificationType(rawValue: "CONSUMPTION_REQUEST")
    /// A subscription was prolonged at the developer's wish.
    public static let renewalExtended = NotificationType(rawValue: "RENEWAL_EXTENDED")
    /// How the prolonging of many subscriptions went.
    public static let renewalExtension = NotificationType(rawValue: "RENEWAL_EXTENSION")
    /// Family sharing ended.
    public static let revoke = NotificationType(rawValue: "REVOKE")
    /// Something was bought once.
    public static let oneTimeCharge = NotificationType(rawValue: "ONE_TIME_CHARGE")
    /// A token for purchases outside the store was made.
    public static let externalPurchaseToken = NotificationType(rawValue: "EXTERNAL_PURCHASE_TOKEN")
    /// A guardian withdrew consent to the app.
    public static let rescindConsent = NotificationType(rawValue: "RESCIND_CONSENT")
    /// A subscription's description changed.
    public static let metadataUpdate = NotificationType(rawValue: "METADATA_UPDATE")
    /// A subscription moved to another way of selling.
    public static let migration = NotificationType(rawValue: "MIGRATION")
    /// A subscription's price changed.
    public static let priceChange = NotificationType(rawValue: "PRICE_CHANGE")
    /// The developer asked for a test.
    public static let test = NotificationType(rawValue: "TEST")
}
