/// The users who are eligible for a promotional offer.
public struct OfferEligibility: OpenEnum {
    /// The value as the wallet sends it.
    public let rawValue: String

    /// Creates a value; values that this version does not define are valid.
    /// - Parameter rawValue: The value as the wallet sends it.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Current and former subscribers.
    public static let subscribedBefore = Self(rawValue: "subscribed_before")
    /// Current subscribers.
    public static let active = Self(rawValue: "active")
    /// Former subscribers.
    public static let lapsed = Self(rawValue: "lapsed")
}
