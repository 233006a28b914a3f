public import Foundation

/// One subscription of an account, in the state that the store reported last.
public struct Subscription: Encodable, Sendable {
    /// The store that sold it.
    public var store: String
    /// The catalogue's product id of the current period.
    public var productID: String
    /// `trial`, `active`, `grace`, `billing_retry`, `paused`, `expired`, `refunded` or `revoked`.
    public var status: String
    /// The tier of its plan.
    public var tier: Int
    /// `normal`, `trial`, `intro`, `promotional` or `prepaid`.
    public var periodType: String
    /// The start of the current period.
    public var currentPeriodStart: Date
    /// The end of the current period.
    public var currentPeriodEnd: Date
    /// The end of the grace period, in which access continues although a renewal failed.
    @Nullable public var gracePeriodEndsAt: Date?
    /// A Boolean value that indicates whether the store will renew the subscription.
    public var willRenew: Bool
    /// A Boolean value that indicates whether the current period is a trial.
    public var inTrial: Bool
    /// The environment of the wallet that the subscription belongs to.
    public var environment: WalletEnvironment

    enum CodingKeys: String, CodingKey {
        case store
        case productID = "product_id"
        case status, tier
        case periodType = "period_type"
        case currentPeriodStart = "current_period_start"
        case currentPeriodEnd = "current_period_end"
        case gracePeriodEndsAt = "grace_period_ends_at"
        case willRenew = "will_renew"
        case inTrial = "in_trial"
        case environment
    }
}

/// An entitlement of an account, with its end and the subscription that grants it.
public struct Entitlement: Encodable, Sendable {
    /// A Boolean value that indicates whether the entitlement is active now.
    public var isActive: Bool
    /// The end of the entitlement, unless the subscription is renewed.
    @Nullable public var expiresAt: Date?
    /// A Boolean value that indicates whether a trial grants the entitlement.
    public var inTrial: Bool
    /// The end of the trial.
    @Nullable public var trialEndsAt: Date?
    /// A Boolean value that indicates whether the entitlement is active only because of a grace period.
    public var inGracePeriod: Bool
    /// A Boolean value that indicates whether the store will renew the subscription.
    public var willRenew: Bool
    /// The store that sold the subscription.
    public var store: String
    /// The catalogue's product id of the subscription.
    public var productID: String

    enum CodingKeys: String, CodingKey {
        case isActive = "is_active"
        case expiresAt = "expires_at"
        case inTrial = "in_trial"
        case trialEndsAt = "trial_ends_at"
        case inGracePeriod = "in_grace_period"
        case willRenew = "will_renew"
        case store
        case productID = "product_id"
    }
}

/// All subscriptions of an account, and the entitlements that they grant.
public struct SubscriptionOverview: Encodable, Sendable {
    /// The subscriptions, the newest period first.
    public var subscriptions: [Subscription]
    /// The highest tier of the active subscriptions; 0 for none.
    public var tier: Int
    /// The entitlements by name.
    public var entitlements: [String: Entitlement]
}
