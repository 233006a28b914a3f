/// The party that cancelled a booking.
public struct CancelledBy: OpenEnum {
    /// The value as the wallet sends it.
    public let rawValue: String

    /// Takes any value.
    /// - Parameter rawValue: the value as the wallet sends it.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The user.
    public static let user = Self(rawValue: "user")
    /// The studio.
    public static let studio = Self(rawValue: "studio")
    /// The wallet, as when a payment was refunded.
    public static let wallet = Self(rawValue: "wallet")
}
