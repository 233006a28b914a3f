/// The user's subscriptions, tier and entitlements.
public struct SubscriptionOverview: Codable, Sendable, Hashable {
    /// The subscriptions.
    public var subscriptions: [Subscription]
    /// The highest tier among active subscriptions; 0 or nil if there is no active subscription.
    public var tier: Int?
    /// The entitlements by name.
    public var entitlements: [String: Entitlement]

    /// Creates a value with the given properties, for previews and tests.
    public init(
        subscriptions: [Subscription] = [],
        tier: Int? = nil,
        entitlements: [String: Entitlement] = [:]
    ) {
        self.subscriptions = subscriptions
        self.tier = tier
        self.entitlements = entitlements
    }
}
