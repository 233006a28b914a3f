public import Foundation

/// A booking together with the times of its class.
public struct TimedBooking: Sendable {
    /// The booking in its current state.
    public var booking: Booking
    /// The end of the class.
    public var endsAt: Date
    /// The number of seconds until the class begins; negative after that.
    public var secondsAhead: Int64
    /// A Boolean value that indicates whether the class has ended.
    public var isOver: Bool
}

/// A filter and an order for lists of bookings that page by offset.
public enum BookingSelection: String, Sendable {
    /// All bookings, the newest first.
    case all
    /// Active bookings of classes that have not ended, the newest first.
    case standing
    /// Active bookings of classes that have ended, the newest first.
    case completed
    /// Cancelled bookings, the newest first.
    case cancelled
    /// Active bookings of classes that have not begun, the next class first.
    case upcoming
    /// Cancelled bookings, and bookings of classes that have begun; the latest class first.
    case history
}
