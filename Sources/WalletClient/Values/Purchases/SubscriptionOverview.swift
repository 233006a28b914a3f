/// All of a user's subscriptions with what they open.
public struct SubscriptionOverview: Codable, Sendable, Hashable {
    /// The subscriptions.
    public var subscriptions: [Subscription]
    /// The highest live tier; 0 or nil for none.
    public var tier: Int?
    /// The entitlements by name.
    public var entitlements: [String: Entitlement]

    /// Creates a value of the given properties, for previews and tests.
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
