/// A filter for a list of bookings.
public enum BookingFilter: String, Sendable, Hashable {
    /// Active bookings of classes that have not begun.
    case upcoming
    /// Active bookings of classes that have begun.
    case past
    /// Cancelled bookings.
    case cancelled
}
