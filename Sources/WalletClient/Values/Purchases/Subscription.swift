public import Foundation

/// A subscription as the store last reported it.
public struct Subscription: Codable, Sendable, Hashable {
    /// The store that sold the subscription.
    public var store: StoreName
    /// The catalogue's product id of the current period.
    public var productID: String
    /// `trial`, `active`, `grace`, `billing_retry`, `paused`, `expired`, `refunded` or `revoked`.
    public var status: SubscriptionStatus
    /// The tier of the subscription's plan.
    public var tier: Int
    /// The start of the current period.
    public var currentPeriodStart: Date
    /// The end of the current period.
    public var currentPeriodEnd: Date
    /// The end of the access after a failed renewal; nil if there is no grace period.
    public var gracePeriodEndsAt: Date?
    /// A Boolean value that indicates whether the store will renew the subscription; nil if no store reported it.
    public var willRenew: Bool?
    /// A Boolean value that indicates whether the current period is a trial.
    public var isInTrial: Bool
    /// The wallet that the subscription belongs to.
    public var environment: WalletEnvironment

    /// Creates a value with the given properties, for previews and tests.
    public init(
        store: StoreName,
        productID: String,
        status: SubscriptionStatus,
        tier: Int,
        currentPeriodStart: Date,
        currentPeriodEnd: Date,
        gracePeriodEndsAt: Date? = nil,
        willRenew: Bool? = nil,
        isInTrial: Bool,
        environment: WalletEnvironment
    ) {
        self.store = store
        self.productID = productID
        self.status = status
        self.tier = tier
        self.currentPeriodStart = currentPeriodStart
        self.currentPeriodEnd = currentPeriodEnd
        self.gracePeriodEndsAt = gracePeriodEndsAt
        self.willRenew = willRenew
        self.isInTrial = isInTrial
        self.environment = environment
    }

    private enum CodingKeys: String, CodingKey {
        case store
        case productID = "product_id"
        case status
        case tier
        case currentPeriodStart = "current_period_start"
        case currentPeriodEnd = "current_period_end"
        case gracePeriodEndsAt = "grace_period_ends_at"
        case willRenew = "will_renew"
        case isInTrial = "in_trial"
        case environment
    }
}
