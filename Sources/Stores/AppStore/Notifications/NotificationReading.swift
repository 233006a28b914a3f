import Foundation

/// Turns a verified notification and its verified transaction into a fact.
struct NotificationReading {
    let type: NotificationType
    let subtype: NotificationSubtype?
    let occasion: StoreFact.Occasion
    let signedAt: Date
    let transaction: SignedTransaction
    let renewal: SignedRenewalInfo?

    /// The transaction's fact with the renewal's flags and with what the type says of it, as of the notification.
    ///
    /// The notification's own date is that of everything in it: of several notifications about one transaction the
    /// store wants the one that was signed last to count.
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

    /// The type alone says that money was given back; how much, and when, the transaction may leave out.
    private func addRefund(to fact: inout StoreFact) throws(StoreError) {
        fact.refundedMillionths = try self.transaction.revokedMillionths()
        fact.refundedAt = self.transaction.payload.revocationDate ?? self.signedAt
    }

    /// The transaction may still show the revocation that was undone.
    private func addReversal(to fact: inout StoreFact) {
        fact.refundedMillionths = 0
        fact.refundedAt = nil
        if fact.revoked != nil { fact.revoked = false }
    }

    /// A subscription ends with its paid period, however late the store says so.
    private func addExpiry(to fact: inout StoreFact) {
        fact.expiredAt = fact.expiresAt
    }

    /// Of a commitment that is billed in parts it is the next commitment that is turned off, or on again.
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
