/// The state of a booking.
public struct BookingStatus: OpenEnum {
    /// The value as the wallet sends it.
    public let rawValue: String

    /// Creates a value; values that this version does not define are valid.
    /// - Parameter rawValue: The value as the wallet sends it.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The booking is active.
    public static let booked = Self(rawValue: "booked")
    /// The booking is cancelled.
    public static let cancelled = Self(rawValue: "cancelled")
}
