/// The state of a booking.
public struct BookingStatus: OpenEnum {
    /// The value as the wallet sends it.
    public let rawValue: String

    /// Takes any value.
    /// - Parameter rawValue: the value as the wallet sends it.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// It stands.
    public static let booked = Self(rawValue: "booked")
    /// It was cancelled.
    public static let cancelled = Self(rawValue: "cancelled")
}
