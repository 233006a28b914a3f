/// Picks bookings for a list.
public enum BookingFilter: String, Sendable, Hashable {
    /// Standing bookings of classes that have not begun.
    case upcoming
    /// Standing bookings of classes that have begun.
    case past
    /// Cancelled bookings.
    case cancelled
}
