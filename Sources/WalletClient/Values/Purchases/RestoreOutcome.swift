/// How a proven purchase came to the user.
public struct RestoreOutcome: OpenEnum {
    /// The value as the wallet sends it.
    public let rawValue: String

    /// Takes any value.
    /// - Parameter rawValue: the value as the wallet sends it.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// It was restored now.
    public static let restored = Self(rawValue: "restored")
    /// The user had it already.
    public static let held = Self(rawValue: "held")
    /// It was granted now, for the first time.
    public static let granted = Self(rawValue: "granted")
}
