import Foundation

/// A step that a store performs automatically when it is due.
struct DueStep: Sendable {
    enum Kind: Sendable {
        case renew
        /// Renewal was turned off, or the store stops trying to collect the payment.
        case expire
        case endGrace
        case beginPause
        case endPause
    }

    let kind: Kind
    let at: Date
    let originalID: String

    /// A Boolean value that indicates whether the step is performed just before its time, so that the periods have no
    /// gap.
    var isAhead: Bool { self.kind == .renew }
}

extension SandboxStore {
    /// The time for which a store tries to collect a payment after the paid period.
    fileprivate var collectionPeriod: TimeInterval {
        switch self {
        case .appStore: 60 * 86_400
        case .googlePlay: 30 * 86_400
        }
    }
}

extension SandboxState {
    /// Returns the next automatic step.
    /// - Parameters:
    ///   - end: The latest time of a step.
    ///   - left: The subscriptions to ignore.
    /// - Returns: The earliest step; nil if none is due until then.
    func nextDue(until end: Date, leaving left: Set<String>) -> DueStep? {
        var newest: [String: SandboxTransaction] = [:]
        for period in self.transactions.values where period.kind == .subscription && !left.contains(period.originalID) {
            let known = newest[period.originalID]
            if let known, (known.purchasedAt, known.lineItemID ?? "") > (period.purchasedAt, period.lineItemID ?? "") {
                continue
            }
            newest[period.originalID] = period
        }
        return newest.values
            .compactMap { period in self.chains[period.originalID]?.due(after: period) }
            .filter { $0.at <= end }
            .min { ($0.at, $0.originalID) < ($1.at, $1.originalID) }
    }
}

extension SandboxSubscription {
    /// Returns the next automatic step of the subscription.
    fileprivate func due(after period: SandboxTransaction) -> DueStep? {
        guard self.expiredReason == nil, !period.isUndone, !period.isPending, period.abandonedAt == nil,
            let expiresAt = period.expiresAt
        else { return nil }
        func step(_ kind: DueStep.Kind, at instant: Date) -> DueStep {
            DueStep(kind: kind, at: instant, originalID: period.originalID)
        }
        if let pausedAt {
            guard self.hasReportedPause == true else { return step(.beginPause, at: pausedAt) }
            return self.resumesAt.map { step(.endPause, at: $0) }
        }
        if self.billingIssueSince != nil {
            if let graceEndsAt, self.hasReportedGraceEnd != true { return step(.endGrace, at: graceEndsAt) }
            return step(.expire, at: max(expiresAt, self.graceEndsAt ?? expiresAt) + period.store.collectionPeriod)
        }
        return step(self.isRenewing ? .renew : .expire, at: expiresAt)
    }
}
