public import Foundation

/// A booking together with how its class stands in time.
public struct TimedBooking: Sendable {
    /// The booking in its present state.
    public var booking: Booking
    /// When its class ends.
    public var endsAt: Date
    /// Seconds until its class begins; negative once it has begun.
    public var secondsAhead: Int64
    /// Whether its class has ended.
    public var isOver: Bool
}

/// Picks and orders bookings for lists that page by offset.
public enum BookingSelection: String, Sendable {
    /// Every booking, the last one made first.
    case all
    /// Standing bookings of classes that have not ended, the last one made first.
    case standing
    /// Standing bookings of classes that have ended, the last one made first.
    case completed
    /// Cancelled bookings, the last one made first.
    case cancelled
    /// Standing bookings of classes that have not begun, the next class first.
    case upcoming
    /// Cancelled bookings and those of classes that have begun, the latest class first.
    case history
}
