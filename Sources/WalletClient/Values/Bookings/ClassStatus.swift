/// The state of a class.
public struct ClassStatus: OpenEnum {
    /// The value as the wallet sends it.
    public let rawValue: String

    /// Creates a value; values that this version does not define are valid.
    /// - Parameter rawValue: The value as the wallet sends it.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The class takes place.
    public static let scheduled = Self(rawValue: "scheduled")
    /// The studio cancelled the class.
    public static let cancelled = Self(rawValue: "cancelled")
}
