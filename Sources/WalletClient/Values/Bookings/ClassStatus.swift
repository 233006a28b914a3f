/// The state of a class.
public struct ClassStatus: OpenEnum {
    /// The value as the wallet sends it.
    public let rawValue: String

    /// Takes any value.
    /// - Parameter rawValue: the value as the wallet sends it.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// It takes place.
    public static let scheduled = Self(rawValue: "scheduled")
    /// The studio cancelled it.
    public static let cancelled = Self(rawValue: "cancelled")
}
