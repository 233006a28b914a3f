public import Foundation

/// A right of a user, such as `premium`, and the period for which it is active.
public struct Entitlement: Codable, Sendable, Hashable {
    /// A Boolean value that indicates whether the entitlement is active now.
    public var isActive: Bool
    /// The instant at which the entitlement ends unless it is renewed.
    public var expiresAt: Date?
    /// A Boolean value that indicates whether a trial grants the entitlement.
    public var isInTrial: Bool
    /// The end of that trial.
    public var trialEndsAt: Date?
    /// A Boolean value that indicates whether the entitlement is active only because of a grace period.
    public var isInGracePeriod: Bool
    /// A Boolean value that indicates whether the subscription will renew; nil if no store reported it.
    public var willRenew: Bool?
    /// The store that sold the subscription.
    public var store: StoreName?
    /// The catalogue's product id of the subscription.
    public var productID: String?

    /// Creates a value with the given properties, for previews and tests.
    public init(
        isActive: Bool,
        expiresAt: Date? = nil,
        isInTrial: Bool,
        trialEndsAt: Date? = nil,
        isInGracePeriod: Bool,
        willRenew: Bool? = nil,
        store: StoreName? = nil,
        productID: String? = nil
    ) {
        self.isActive = isActive
        self.expiresAt = expiresAt
        self.isInTrial = isInTrial
        self.trialEndsAt = trialEndsAt
        self.isInGracePeriod = isInGracePeriod
        self.willRenew = willRenew
        self.store = store
        self.productID = productID
    }

    private enum CodingKeys: String, CodingKey {
        case isActive = "is_active"
        case expiresAt = "expires_at"
        case isInTrial = "in_trial"
        case trialEndsAt = "trial_ends_at"
        case isInGracePeriod = "in_grace_period"
        case willRenew = "will_renew"
        case store
        case productID = "product_id"
    }
}
