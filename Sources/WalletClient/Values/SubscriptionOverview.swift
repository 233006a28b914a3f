public import Foundation

/// All of a user's subscriptions with what they open.
public struct SubscriptionOverview: Decodable, Sendable, Equatable {
    /// The subscriptions.
    public let subscriptions: [Subscription]
    /// The highest live tier; 0 or nil for none.
    public let tier: Int?
    /// The entitlements by name.
    public let entitlements: [String: Entitlement]
}

/// One subscription, as the store last described it.
public struct Subscription: Decodable, Sendable, Equatable {
    /// The store that sold it.
    public let store: String
    /// The catalogue's product id of the current period.
    public let productID: String
    /// `trial`, `active`, `grace`, `billing_retry`, `paused`, `expired`, `refunded` or `revoked`.
    public let status: String
    /// The tier of its plan.
    public let tier: Int
    /// When the current period began.
    public let currentPeriodStart: Date
    /// When the current period ends.
    public let currentPeriodEnd: Date
    /// Until when access lasts although a renewal failed.
    public let gracePeriodEndsAt: Date?
    /// Whether the store will renew it; nil where no store said.
    public let willRenew: Bool?
    /// Whether the current period is a trial.
    public let inTrial: Bool
    /// Which wallet it belongs to.
    public let environment: WalletEnvironment

    private enum CodingKeys: String, CodingKey {
        case store
        case productID = "product_id"
        case status
        case tier
        case currentPeriodStart = "current_period_start"
        case currentPeriodEnd = "current_period_end"
        case gracePeriodEndsAt = "grace_period_ends_at"
        case willRenew = "will_renew"
        case inTrial = "in_trial"
        case environment
    }
}

/// What a user may use, and until when.
public struct Entitlement: Decodable, Sendable, Equatable {
    /// Whether it may be used now.
    public let isActive: Bool
    /// When it ends unless it is renewed.
    public let expiresAt: Date?
    /// Whether a trial opens it.
    public let inTrial: Bool
    /// When that trial ends.
    public let trialEndsAt: Date?
    /// Whether it is open only through a grace period.
    public let inGracePeriod: Bool
    /// Whether the store will renew what opens it; nil where no store said.
    public let willRenew: Bool?
    /// The store that sold what opens it.
    public let store: String?
    /// The catalogue's product id of what opens it.
    public let productID: String?

    private enum CodingKeys: String, CodingKey {
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
