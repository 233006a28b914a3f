public import Foundation

/// What a user may use, and until when.
public struct Entitlement: Codable, Sendable, Hashable {
    /// Whether it may be used now.
    public var isActive: Bool
    /// When it ends unless it is renewed.
    public var expiresAt: Date?
    /// Whether a trial opens it.
    public var inTrial: Bool
    /// When that trial ends.
    public var trialEndsAt: Date?
    /// Whether it is open only through a grace period.
    public var inGracePeriod: Bool
    /// Whether the store will renew what opens it; nil where no store said.
    public var willRenew: Bool?
    /// The store that sold what opens it.
    public var store: StoreName?
    /// The catalogue's product id of what opens it.
    public var productID: String?

    /// Creates a value of the given properties, for previews and tests.
    public init(
        isActive: Bool,
        expiresAt: Date? = nil,
        inTrial: Bool,
        trialEndsAt: Date? = nil,
        inGracePeriod: Bool,
        willRenew: Bool? = nil,
        store: StoreName? = nil,
        productID: String? = nil
    ) {
        self.isActive = isActive
        self.expiresAt = expiresAt
        self.inTrial = inTrial
        self.trialEndsAt = trialEndsAt
        self.inGracePeriod = inGracePeriod
        self.willRenew = willRenew
        self.store = store
        self.productID = productID
    }

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
