/// A unit of a wallet's balance.
public struct BalanceUnit: OpenEnum {
    /// The value as the wallet sends it.
    public let rawValue: String

    /// Creates a value; values that this version does not define are valid.
    /// - Parameter rawValue: The value as the wallet sends it.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Credits, which pay for classes at their price in credits.
    public static let credit = Self(rawValue: "credit")
    /// Visits, which passes and plans grant.
    public static let visit = Self(rawValue: "visit")
}
