/// The result of a restore for one proven purchase.
public struct RestoreOutcome: OpenEnum {
    /// The value as the wallet sends it.
    public let rawValue: String

    /// Creates a value; values that this version does not define are valid.
    /// - Parameter rawValue: The value as the wallet sends it.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The wallet restored the purchase now.
    public static let restored = Self(rawValue: "restored")
    /// The purchase already belonged to the user.
    public static let held = Self(rawValue: "held")
    /// The wallet granted the purchase now, for the first time.
    public static let granted = Self(rawValue: "granted")
}
