import Foundation

/// Turns a verified notification and its verified transaction into a fact.
struct NotificationReading {
    let type: NotificationType
    let subtype: NotificationSubtype?
    let occasion: StoreFact.Occasion
    let signedAt: Date
    let transaction: SignedTransaction
    let renewal: SignedRenewalInfo?

    /// Returns the transaction's fact with the renewal flags, the type's meaning and the date of the notification.
    ///
    /// The notification's date applies to all data in it: the store requires that the last signed of several
    /// notifications about one transaction wins.
    /// - Throws: ``StoreError`` with `unreadable`.
    func fact() throws(StoreError) -> StoreFact {
        var fact = try self.transaction.fact(source: .notification)
        self.renewal?.overlay(on: &fact)
        fact.sourceAt = self.signedAt
        fact.occasion = self.occasion
        try self.addMeaning(to: &fact)
        return fact
    }

    private func addMeaning(to fact: inout StoreFact) throws(StoreError) {
        switch self.type {
        case .refund: try self.addRefund(to: &fact)
        case .refundReversed: self.addReversal(to: &fact)
        case .revoke: fact.revoked = true
        case .expired where fact.kind == .subscription: self.addExpiry(to: &fact)
        case .gracePeriodExpired, .didFailToRenew: fact.billingIssue = true
        case .didChangeRenewalStatus: self.addRenewalStatus(to: &fact)
        default: break
        }
    }

    /// The type alone proves a refund; the transaction may omit its share and its date.
    private func addRefund(to fact: inout StoreFact) throws(StoreError) {
        fact.refundedMillionths = try self.transaction.revokedMillionths()
        fact.refundedAt = self.transaction.payload.revocationDate ?? self.signedAt
    }

    /// The transaction may still contain the reversed revocation.
    private func addReversal(to fact: inout StoreFact) {
        fact.refundedMillionths = 0
        fact.refundedAt = nil
        if fact.revoked != nil { fact.revoked = false }
    }

    /// A subscription ends with its paid period, even if the store reports the end late.
    private func addExpiry(to fact: inout StoreFact) {
        fact.expiredAt = fact.expiresAt
    }

    /// For a commitment that is billed in parts, the renewal status applies to the next commitment.
    private func addRenewalStatus(to fact: inout StoreFact) {
        switch self.subtype {
        case .autoRenewEnabled where fact.commitment != nil: fact.commitmentRenews = true
        case .autoRenewDisabled where fact.commitment != nil: fact.commitmentRenews = false
        case .autoRenewEnabled: fact.willRenew = true
        case .autoRenewDisabled: fact.willRenew = false
        default: fact.occasion = fact.willRenew == true ? .uncancellation : .cancellation
        }
    }
}
