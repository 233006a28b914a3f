import Foundation

/// One thing that a control made happen, as the stores' notifications report it.
struct SandboxEvent: Sendable {
    /// What happened.
    enum Kind: Sendable, Equatable {
        /// A purchase for the first time: of a subscription or of anything else.
        case purchased
        /// A Google Play purchase that is not paid yet.
        case purchasePending
        /// A pending purchase was paid.
        case pendingPaid
        /// A pending purchase was given up.
        case pendingAbandoned
        /// An ended subscription was bought again under its first id.
        case resubscribed
        case renewed
        /// A renewal was paid after a billing issue.
        case recovered
        case renewalTurnedOff
        case renewalTurnedOn
        /// A renewal could not be paid; the chain has the grace period.
        case billingIssue
        /// The grace period ended, the billing issue did not.
        case graceEnded
        /// The chain says why.
        case expired
        /// The pause is to begin when the paid period ends.
        case pausePlanned
        /// A planned pause was called off.
        case pauseCalledOff
        case paused
        /// A pause ended with a new period.
        case resumed
        /// A new period of a better product began at once; ``SandboxEvent/previous`` is the replaced one.
        case upgraded
        /// Another product from the next period on; the chain names it, or none where the change was undone.
        case downgradePlanned
        /// ``SandboxTransaction/refundedShare`` says how much.
        case refunded
        case refundReversed
        case revoked
        /// The App Store asks how much was used.
        case consumptionRequested
        /// Google Play reviews a refund and asks what was used.
        case refundReviewed
        /// RevenueCat moved the subscription.
        case transferred(from: String, to: String)
    }

    let kind: Kind
    /// The transaction it is about, as it is afterwards; for a subscription the newest period unless another is meant.
    let transaction: SandboxTransaction
    /// The period before, where this one follows another.
    let previous: SandboxTransaction?
    /// The subscription as it is afterwards.
    let chain: SandboxSubscription?
    /// By the stores' clock.
    let at: Date
    /// Everything as it is afterwards.
    let state: SandboxState
}

/// What a control did.
struct ControlOutcome: Sendable {
    let transaction: SandboxTransaction
    /// A receipt that shows a new transaction; nil where nothing was sold.
    let receipt: String?
    let happenings: [SandboxEvent]
}
