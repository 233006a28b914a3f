/// What a wallet counts.
public struct BalanceUnit: OpenEnum {
    /// The value as the wallet sends it.
    public let rawValue: String

    /// Takes any value.
    /// - Parameter rawValue: the value as the wallet sends it.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Credits, which pay for classes at their price in credits.
    public static let credit = Self(rawValue: "credit")
    /// Visits, of passes and plans.
    public static let visit = Self(rawValue: "visit")
}
