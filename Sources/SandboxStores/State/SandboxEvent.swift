import Foundation

/// An event that a control caused, for the stores' notifications.
struct SandboxEvent: Sendable {
    /// The kind of event.
    enum Kind: Sendable, Equatable {
        /// A first purchase of a subscription or another product.
        case purchased
        /// A Google Play purchase that is not paid yet.
        case purchasePending
        /// A pending purchase was paid.
        case pendingPaid
        /// A pending purchase was abandoned.
        case pendingAbandoned
        /// An ended subscription was bought again under its original id.
        case resubscribed
        case renewed
        /// A renewal was paid after a billing issue.
        case recovered
        case renewalTurnedOff
        case renewalTurnedOn
        /// The payment of a renewal failed; the chain contains the end of the grace period.
        case billingIssue
        /// The grace period ended, but the billing issue persists.
        case graceEnded
        /// The subscription ended; the chain contains the reason.
        case expired
        /// A pause will begin when the paid period ends.
        case pausePlanned
        /// A planned pause was cancelled.
        case pauseCalledOff
        case paused
        /// A pause ended with a new period.
        case resumed
        /// A new period of a better product began immediately; ``SandboxEvent/previous`` is the replaced one.
        case upgraded
        /// The product changes with the next period; the chain contains the new product, or none if the change was
        /// reverted.
        case downgradePlanned
        /// A refund; ``SandboxTransaction/refundedShare`` is its share.
        case refunded
        case refundReversed
        case revoked
        /// The App Store requests the consumption of a purchase.
        case consumptionRequested
        /// Google Play reviews a refund and requests the usage of the purchase.
        case refundReviewed
        /// RevenueCat transferred the subscription to another user.
        case transferred(from: String, to: String)
    }

    let kind: Kind
    /// The transaction after the event; for a subscription, usually its newest period.
    let transaction: SandboxTransaction
    /// The previous period, if this period follows another.
    let previous: SandboxTransaction?
    /// The subscription after the event.
    let chain: SandboxSubscription?
    /// The time of the event by the stores' clock.
    let at: Date
    /// The stores' state after the event.
    let state: SandboxState
}
