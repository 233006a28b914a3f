/// The source of a grant.
public struct LotSource: OpenEnum {
    /// The value as the wallet sends it.
    public let rawValue: String

    /// Creates a value; values that this version does not define are valid.
    /// - Parameter rawValue: The value as the wallet sends it.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// A pack of credits.
    public static let pack = Self(rawValue: "pack")
    /// A pass of visits.
    public static let pass = Self(rawValue: "pass")
    /// A period of a subscription.
    public static let plan = Self(rawValue: "plan")
    /// A gift.
    public static let promo = Self(rawValue: "promo")
    /// A correction by the studio.
    public static let adjustment = Self(rawValue: "adjustment")
    /// A balance imported from another system.
    public static let imported = Self(rawValue: "import")
    /// The part of a fee that the wallet owes.
    public static let fee = Self(rawValue: "fee")
}
