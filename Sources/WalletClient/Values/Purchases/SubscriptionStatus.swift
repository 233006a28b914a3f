/// The state of a subscription.
public struct SubscriptionStatus: OpenEnum {
    /// The value as the wallet sends it.
    public let rawValue: String

    /// Takes any value.
    /// - Parameter rawValue: the value as the wallet sends it.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The first period is free.
    public static let trial = Self(rawValue: "trial")
    /// It is paid.
    public static let active = Self(rawValue: "active")
    /// A renewal failed; access lasts until ``Subscription/gracePeriodEndsAt``.
    public static let grace = Self(rawValue: "grace")
    /// A renewal failed and the store tries again; there is no access.
    public static let billingRetry = Self(rawValue: "billing_retry")
    /// The user paused it.
    public static let paused = Self(rawValue: "paused")
    /// It has ended.
    public static let expired = Self(rawValue: "expired")
    /// The store refunded the current period.
    public static let refunded = Self(rawValue: "refunded")
    /// The store took it away.
    public static let revoked = Self(rawValue: "revoked")
}
