/// The state of a subscription.
public struct SubscriptionStatus: OpenEnum {
    /// The value as the wallet sends it.
    public let rawValue: String

    /// Creates a value; values that this version does not define are valid.
    /// - Parameter rawValue: The value as the wallet sends it.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The current period is a free trial.
    public static let trial = Self(rawValue: "trial")
    /// The current period is paid.
    public static let active = Self(rawValue: "active")
    /// A renewal failed; access lasts until ``Subscription/gracePeriodEndsAt``.
    public static let grace = Self(rawValue: "grace")
    /// A renewal failed and the store retries; the user has no access.
    public static let billingRetry = Self(rawValue: "billing_retry")
    /// The user paused the subscription.
    public static let paused = Self(rawValue: "paused")
    /// The subscription has ended.
    public static let expired = Self(rawValue: "expired")
    /// The store refunded the current period.
    public static let refunded = Self(rawValue: "refunded")
    /// The store revoked the subscription.
    public static let revoked = Self(rawValue: "revoked")
}
