public import Foundation

/// One subscription, as the store last described it.
public struct Subscription: Codable, Sendable, Hashable {
    /// The store that sold it.
    public var store: StoreName
    /// The catalogue's product id of the current period.
    public var productID: String
    /// `trial`, `active`, `grace`, `billing_retry`, `paused`, `expired`, `refunded` or `revoked`.
    public var status: SubscriptionStatus
    /// The tier of its plan.
    public var tier: Int
    /// When the current period began.
    public var currentPeriodStart: Date
    /// When the current period ends.
    public var currentPeriodEnd: Date
    /// Until when access lasts although a renewal failed.
    public var gracePeriodEndsAt: Date?
    /// Whether the store will renew it; nil where no store said.
    public var willRenew: Bool?
    /// Whether the current period is a trial.
    public var inTrial: Bool
    /// Which wallet it belongs to.
    public var environment: WalletEnvironment

    /// Creates a value of the given properties, for previews and tests.
    public init(
        store: StoreName,
        productID: String,
        status: SubscriptionStatus,
        tier: Int,
        currentPeriodStart: Date,
        currentPeriodEnd: Date,
        gracePeriodEndsAt: Date? = nil,
        willRenew: Bool? = nil,
        inTrial: Bool,
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
        self.inTrial = inTrial
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
        case inTrial = "in_trial"
        case environment
    }
}
