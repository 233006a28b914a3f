import Foundation

extension GooglePlaySubscription {
    /// Lays the state over the fact; `expiryTime` is the end of the paid period, of the grace, or of all of it.
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
        case .onHold: fact.billingIssue = true
        case .paused:
            fact.expiresAt = expiry
            fact.paused = true
        case .canceled:
            fact.expiresAt = expiry
            fact.willRenew = false
        case .expired: fact.expiredAt = expiry
        case .pending, .pendingPurchaseCanceled, nil: break
        }
        guard !fact.pending else { return }
        fact.needsAcknowledgement = GooglePlayAcknowledgement.isAwaited(try self.answer.text("acknowledgementState"))
    }
}
