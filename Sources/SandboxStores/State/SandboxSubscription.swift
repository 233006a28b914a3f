import Foundation

/// The state of a subscription in addition to its periods.
struct SandboxSubscription: Codable, Sendable {
    var isRenewing = true
    /// A Boolean value that indicates whether the current commitment is the last one; it is billed to its end.
    var isCommitmentEnding: Bool?
    /// The time at which renewal was turned off; nil while it is on.
    var renewalTurnedOffAt: Date?
    /// The time since which the renewal cannot be paid.
    var billingIssueSince: Date?
    /// The end of the grace period, in which an unpaid subscription continues.
    var graceEndsAt: Date?
    /// The start of the pause, in the future for a planned pause; Google Play only.
    var pausedAt: Date?
    /// The time at which the pause ends automatically, if it is known.
    var resumesAt: Date?
    /// A Boolean value that indicates whether the start of the pause was reported.
    var hasReportedPause: Bool?
    /// A Boolean value that indicates whether the end of the grace period was reported.
    var hasReportedGraceEnd: Bool?
    /// The product of the next period if it differs.
    var nextProductID: String?
    var expiredAt: Date?
    var expiredReason: ExpiredReason?
    /// Google Play's token for all periods of the subscription.
    var purchaseToken: String?
    /// The token that this subscription replaced.
    var linkedPurchaseToken: String?
    /// The user to whom RevenueCat transferred the subscription.
    var transferredTo: String?

    /// The reason why a subscription ended.
    enum ExpiredReason: String, Codable, Sendable {
        case voluntary
        case billing
        case paused
        /// An upgrade replaced it by a new subscription; Google Play only.
        case replaced
    }

    /// Returns `true` during the grace period of a failed payment.
    func isInGrace(at now: Date) -> Bool {
        guard self.billingIssueSince != nil, let graceEndsAt = self.graceEndsAt else { return false }
        return graceEndsAt > now
    }

    func isPaused(at now: Date) -> Bool {
        self.pausedAt.map { $0 <= now } ?? false
    }

    /// Resets the state for a new paid period.
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
