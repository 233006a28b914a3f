import Foundation

extension GooglePlaySubscription {
    /// Applies the state to the fact; `expiryTime` is the end of the paid period, of the grace period or of the
    /// subscription.
    ///
    /// During the grace period the answer omits the end of the paid period, so it stays unknown.
    func addFlags(to fact: inout StoreFact, item: StoreDocument, state: State?) throws(StoreError) {
        let expiry = try item.instant("expiryTime")
        switch state {
        case .active:
            fact.expiresAt = expiry
            fact.willRenew = try item.object("autoRenewingPlan")?.flag("autoRenewEnabled") ?? false
            fact.commitmentRenews = try self.commitmentRenews(item)
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

    /// Returns the payment of an installment plan to which an order belongs; nil for a plan that is paid period by
    /// period.
    ///
    /// The following commitments may have another number of payments. If the answer omits it, the plan continues
    /// monthly, and each month is still one payment of the original number.
    func commitment(of orderID: String?, item: StoreDocument) throws(StoreError) -> StoreFact.Commitment? {
        guard let details = try item.object("autoRenewingPlan")?.object("installmentDetails"), let orderID else {
            return nil
        }
        let first = Int(clamping: try details.integer("initialCommittedPaymentsCount") ?? 0)
        guard first > 0 else { throw StoreError(.unreadable) }
        let later = Int(clamping: try details.integer("subsequentCommittedPaymentsCount") ?? 0)
        let payment = GooglePlayOrder.renewal(in: orderID).map { $0 + 2 } ?? 1
        let periods = payment > first && later > 0 ? later : first
        let period = payment > first ? (payment - first - 1) % periods + 1 : payment
        // Without its position, one payment would be granted as the whole commitment.
        guard let commitment = StoreFact.Commitment(period: period, of: periods) else { throw StoreError(.unreadable) }
        return commitment
    }

    /// A cancelled installment plan is still billed to the end of the commitment.
    private func commitmentRenews(_ item: StoreDocument) throws(StoreError) -> Bool? {
        guard let details = try item.object("autoRenewingPlan")?.object("installmentDetails") else { return nil }
        return details["pendingCancellation"] == nil
    }

    /// Returns the end of a period that the state reports as over: no later than the time of the answer.
    private func past(_ end: Date?) -> Date? { end.map { min($0, self.answeredAt) } }
}
