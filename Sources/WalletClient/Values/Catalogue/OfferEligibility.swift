/// Who may get a reduced price.
public struct OfferEligibility: OpenEnum {
    /// The value as the wallet sends it.
    public let rawValue: String

    /// Takes any value.
    /// - Parameter rawValue: the value as the wallet sends it.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Who subscribes or once did.
    public static let subscribedBefore = Self(rawValue: "subscribed_before")
    /// Who subscribes now.
    public static let active = Self(rawValue: "active")
    /// Who once subscribed.
    public static let lapsed = Self(rawValue: "lapsed")
}
