import Foundation

extension GooglePlaySubscription {
    /// Lays the state over the fact; `expiryTime` is the end of the paid period, of the grace, or of all of it.
    ///
    /// In the grace nobody says when the paid period ended, and it stays unknown.
    func addFlags(to fact: inout StoreFact, item: StoreDocument, state: State?) throws(StoreError) {
        let expiry = try item.instant("expiryTime")
        switch state {
        case .active:
            fact.expiresAt = expiry
            fact.willRenew = try item.object("autoRenewingPlan")?.flag("autoRenewEnabled") ?? false
            fact.billingIssue = false
            fact.paused = false
        case .inGracePeriod:
            fact.graceEndsAt = expiry
            fact.billingIssue = true
        case .onHold:
            fact.expiresAt = self.past(expiry)
            fact.billingIssue = true
        case .paused:
            fact.expiresAt = self.past(expiry)
            fact.paused = true
        case .canceled:
            fact.expiresAt = expiry
            fact.willRenew = false
        case .expired:
            fact.expiresAt = self.past(expiry)
            fact.expiredAt = fact.expiresAt
        case .pending, .pendingPurchaseCanceled, nil: break
        }
        guard !fact.pending else { return }
        fact.needsAcknowledgement = GooglePlayAcknowledgement.isAwaited(try self.answer.text("acknowledgementState"))
    }

    /// The end of what the state says is over: an end that is still to come was reached by now.
    private func past(_ end: Date?) -> Date? { end.map { min($0, self.answeredAt) } }
}
