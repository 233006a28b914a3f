/// The type of an event that the wallet sends to an endpoint.
public struct WalletEventType: OpenEnum {
    /// The value as the wallet sends it.
    public let rawValue: String

    /// Creates a value; values that this version does not define are valid.
    /// - Parameter rawValue: The value as the wallet sends it.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Credits or visits were added: a purchase, a period of a plan, a rollover, a reversed refund, a gift.
    public static let creditsGranted = Self(rawValue: "credits.granted")
    /// An administrator deducted credits or visits.
    public static let creditsDebited = Self(rawValue: "credits.debited")
    /// The store refunded a purchase or a part of it; if its credits were already spent, the wallet owes them.
    public static let creditsRefunded = Self(rawValue: "credits.refunded")
    /// The remaining amount of a lot expired.
    public static let creditsExpired = Self(rawValue: "credits.expired")
    /// A balance fell below its threshold; again only after it was sufficient.
    public static let creditsLow = Self(rawValue: "credits.low")
    /// A lot expires soon; once for each lot.
    public static let creditsExpiring = Self(rawValue: "credits.expiring")
    /// A pass or the visits of a plan were frozen, and the expiry moved.
    public static let lotFrozen = Self(rawValue: "lot.frozen")
    /// A freeze ended early or was cancelled, and the expiry moved back.
    public static let lotUnfrozen = Self(rawValue: "lot.unfrozen")
    /// Lots came from another account, by a restore or a merge, so request the balance.
    public static let creditsTransferred = Self(rawValue: "credits.transferred")
    /// A class was booked.
    public static let bookingCreated = Self(rawValue: "booking.created")
    /// A booking was cancelled by its user, the studio or the wallet (a deletion or a merge).
    public static let bookingCancelled = Self(rawValue: "booking.cancelled")
    /// A booking was marked as attended, by the studio or by the check-in of its member.
    public static let bookingAttended = Self(rawValue: "booking.attended")
    /// A booking was marked as a no-show, with the consequence of its policy.
    public static let bookingNoShow = Self(rawValue: "booking.no_show")
    /// A no-show was excused; an earlier fee and strike were withdrawn.
    public static let bookingExcused = Self(rawValue: "booking.excused")
    /// The mark of a booking was removed; an earlier fee and strike were withdrawn.
    public static let bookingUnmarked = Self(rawValue: "booking.unmarked")
    /// Strikes block the bookings of a member until an instant; a later event replaces an earlier one.
    public static let userBookingBlocked = Self(rawValue: "user.booking_blocked")
    /// Strikes no longer block the bookings of a member, because one was withdrawn.
    public static let userBookingUnblocked = Self(rawValue: "user.booking_unblocked")
    /// A booked class was moved to another time; cancellation is free until the new start.
    public static let bookingMoved = Self(rawValue: "booking.moved")
    /// The store reported the first period of a subscription.
    public static let subscriptionStarted = Self(rawValue: "subscription.started")
    /// The store reported a newer period of a subscription.
    public static let subscriptionRenewed = Self(rawValue: "subscription.renewed")
    /// The store could not charge for a renewal; there is no grace period, so access is suspended.
    public static let subscriptionBillingFailed = Self(rawValue: "subscription.billing_failed")
    /// The store could not charge for a renewal, and the grace period has begun.
    public static let subscriptionGraceStarted = Self(rawValue: "subscription.grace_started")
    /// The subscription will not renew; access continues until the end of the paid period.
    public static let subscriptionCancelled = Self(rawValue: "subscription.cancelled")
    /// The subscription will renew again.
    public static let subscriptionUncancelled = Self(rawValue: "subscription.uncancelled")
    /// The subscription has ended.
    public static let subscriptionExpired = Self(rawValue: "subscription.expired")
    /// The store refunded the subscription's period.
    public static let subscriptionRefunded = Self(rawValue: "subscription.refunded")
    /// The store revoked the subscription.
    public static let subscriptionRevoked = Self(rawValue: "subscription.revoked")
    /// The subscription is paused (Google Play).
    public static let subscriptionPaused = Self(rawValue: "subscription.paused")
    /// The subscription is active again in the same period, for example because the store reversed a refund.
    public static let subscriptionResumed = Self(rawValue: "subscription.resumed")
    /// The subscription moved to another account (restore, merge, store); the event names the new owner.
    public static let subscriptionTransferred = Self(rawValue: "subscription.transferred")
    /// A user joined the waitlist of a class.
    public static let waitlistJoined = Self(rawValue: "waitlist.joined")
    /// A user left the waitlist without a seat; for a seat, `booking.created` is sent instead.
    public static let waitlistLeft = Self(rawValue: "waitlist.left")
    /// A user is no longer on the waitlist, because the class was cancelled.
    public static let waitlistRemoved = Self(rawValue: "waitlist.removed")
    /// A user had three refunds within 180 days; an administrator should review the flag (`admin.review_flags`).
    public static let reviewFlagRaised = Self(rawValue: "review_flag.raised")
    /// An operator tests the endpoint; the event has no other meaning.
    public static let endpointTest = Self(rawValue: "endpoint.test")
}
