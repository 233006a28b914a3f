public import Foundation

/// One subscription of an account, as the stores last described it.
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
    /// When the current period began.
    public var currentPeriodStart: Date
    /// When the current period ends.
    public var currentPeriodEnd: Date
    /// Until when access lasts although a renewal failed.
    @Nullable public var gracePeriodEndsAt: Date?
    /// Whether the store will renew it.
    public var willRenew: Bool
    /// Whether the current period is a trial.
    public var inTrial: Bool
    /// Which wallet it belongs to.
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

/// What an account may use, and until when.
public struct Entitlement: Encodable, Sendable {
    /// Whether it may be used now.
    public var isActive: Bool
    /// When it ends unless it is renewed.
    @Nullable public var expiresAt: Date?
    /// Whether a trial opens it.
    public var inTrial: Bool
    /// When that trial ends.
    @Nullable public var trialEndsAt: Date?
    /// Whether it is open only through a grace period.
    public var inGracePeriod: Bool
    /// Whether the store will renew what opens it.
    public var willRenew: Bool
    /// The store that sold what opens it.
    public var store: String
    /// The catalogue's product id of what opens it.
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

/// All of an account's subscriptions with what they open.
public struct SubscriptionOverview: Encodable, Sendable {
    /// The subscriptions, the newest period first.
    public var subscriptions: [Subscription]
    /// The highest tier among the live ones, 0 for none.
    public var tier: Int
    /// The entitlements by name.
    public var entitlements: [String: Entitlement]
}
