import Foundation

/// What the store knows of a subscription beside its periods.
struct SandboxSubscription: Codable, Sendable {
    var isRenewing = true
    /// Whether the running commitment is the last one; it is billed to its end.
    var isCommitmentEnding: Bool?
    /// When renewal was turned off; nil while it is on.
    var renewalTurnedOffAt: Date?
    /// Since when the renewal cannot be paid.
    var billingIssueSince: Date?
    /// Until when the store asks to go on serving a subscriber who has not paid.
    var graceEndsAt: Date?
    /// From when it is paused: in the future while the pause is only planned; Google Play only.
    var pausedAt: Date?
    /// When a pause ends by itself, as far as was reported.
    var resumesAt: Date?
    /// Whether the beginning of the pause was reported.
    var hasReportedPause: Bool?
    /// Whether the end of the grace period was reported.
    var hasReportedGraceEnd: Bool?
    /// The product of the next period where it is another one.
    var nextProductID: String?
    var expiredAt: Date?
    var expiredReason: ExpiredReason?
    /// Google Play's token for all periods of the subscription.
    var purchaseToken: String?
    /// The token that this subscription replaced.
    var linkedPurchaseToken: String?
    /// The user to whom RevenueCat moved the subscription.
    var transferredTo: String?

    /// Why a subscription ended.
    enum ExpiredReason: String, Codable, Sendable {
        case voluntary
        case billing
        case paused
        /// Google Play only: an upgrade made a new subscription of it.
        case replaced
    }

    /// Whether the store still asks for service while it cannot collect the money.
    func isInGrace(at now: Date) -> Bool {
        guard self.billingIssueSince != nil, let graceEndsAt = self.graceEndsAt else { return false }
        return graceEndsAt > now
    }

    func isPaused(at now: Date) -> Bool {
        self.pausedAt.map { $0 <= now } ?? false
    }

    /// A new period is paid: whatever kept the old one from renewing is over.
    mutating func begin() {
        self.isRenewing = true
        self.isCommitmentEnding = nil
        self.renewalTurnedOffAt = nil
        self.billingIssueSince = nil
        self.graceEndsAt = nil
        self.hasReportedGraceEnd = nil
        self.pausedAt = nil
        self.resumesAt = nil
        self.hasReportedPause = nil
        self.nextProductID = nil
        self.expiredAt = nil
        self.expiredReason = nil
    }
}
