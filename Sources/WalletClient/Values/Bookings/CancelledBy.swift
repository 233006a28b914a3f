/// The party that cancelled a booking.
public struct CancelledBy: OpenEnum {
    /// The value as the wallet sends it.
    public let rawValue: String

    /// Creates a value; values that this version does not define are valid.
    /// - Parameter rawValue: The value as the wallet sends it.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The user.
    public static let user = Self(rawValue: "user")
    /// The studio.
    public static let studio = Self(rawValue: "studio")
    /// The wallet, for example when a payment was refunded.
    public static let wallet = Self(rawValue: "wallet")
}
