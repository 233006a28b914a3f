import Foundation

extension SignedTransaction {
    private typealias Payload = JWSTransactionDecodedPayload

    /// The fact that the transaction states, as of the instant at which the store signed it.
    ///
    /// A transaction without a revocation says that nothing is refunded. One that an upgrade cut short says nothing of
    /// refunds: the store pays the rest of that period back by itself.
    /// - Parameter source: how the transaction came here.
    /// - Returns: the fact; a family member's shared purchase is marked as such.
    /// - Throws: ``StoreError`` with `unreadable` where a member is missing, makes no sense, or is a sort of product or
    ///   ownership that this build does not know.
    public func fact(source: StoreFact.Source) throws(StoreError) -> StoreFact {
        let payload = self.payload
        guard
            let transactionID = try Self.text(payload.transactionId),
            let productID = try Self.text(payload.productId),
            let purchasedAt = payload.purchaseDate,
            let signedAt = payload.signedDate
        else { throw StoreError(.unreadable) }
        var fact = StoreFact(
            store: .appStore,
            environment: self.environment,
            transactionID: transactionID,
            storeProductID: productID,
            kind: try self.kind(),
            quantity: try self.quantity(),
            ownership: try self.ownership(),
            purchasedAt: try purchasedAt.boughtBefore(signedAt),
            source: source,
            sourceAt: signedAt
        )
        fact.originalTransactionID = try Self.text(payload.originalTransactionId)
        fact.lineItemID = try Self.text(payload.webOrderLineItemId)
        fact.appTransactionID = try Self.text(payload.appTransactionId)
        fact.appAccountToken = StoreFact.accountToken(try Self.text(self.payload.appAccountToken))
        fact.occasion = .renewal
        if fact.kind == .subscription {
            guard let expiresAt = payload.expiresDate else { throw StoreError(.unreadable) }
            fact.expiresAt = expiresAt
            fact.periodType = self.periodType
            fact.commitment = try self.commitment()
        }
        fact.upgraded = payload.isUpgraded ?? false
        try self.addRevocation(to: &fact)
        return fact
    }

    /// The share of the price that a revocation gave back, in millionths.
    ///
    /// Without a share the store means all of it; so it does when family sharing ends, which leaves nothing either.
    func revokedMillionths() throws(StoreError) -> Int {
        switch self.payload.revocationType {
        case .refundFull, .familyRevoke: return 1_000_000
        default: break
        }
        guard let percentage = self.payload.revocationPercentage else { return 1_000_000 }
        guard (0...100_000).contains(percentage) else { throw StoreError(.unreadable) }
        return percentage * 10
    }

    private func addRevocation(to fact: inout StoreFact) throws(StoreError) {
        // Any member about a revocation proves that there was one, also without its date.
        let isRevoked =
            self.payload.revocationReason != nil || self.payload.revocationType != nil
            || self.payload.revocationPercentage != nil
        guard let revokedAt = self.payload.revocationDate ?? (isRevoked ? fact.sourceAt : nil) else {
            fact.refundedMillionths = 0
            return
        }
        if self.payload.revocationType == .familyRevoke { fact.revoked = true }
        if fact.upgraded && fact.revoked == nil { return }
        fact.refundedMillionths = try self.revokedMillionths()
        fact.refundedAt = revokedAt
    }

    /// The place in a commitment; a period that is billed in parts and does not show it would be granted whole.
    private func commitment() throws(StoreError) -> StoreFact.Commitment? {
        guard let info = self.payload.commitmentInfo else {
            guard self.payload.billingPlanType != "MONTHLY" || self.periodType == .trial else {
                throw StoreError(.unreadable)
            }
            return nil
        }
        guard let period = info.billingPeriodNumber, let periods = info.totalBillingPeriods else {
            throw StoreError(.unreadable)
        }
        guard let commitment = StoreFact.Commitment(period: period, of: periods) else { throw StoreError(.unreadable) }
        return commitment
    }

    private func kind() throws(StoreError) -> StoreFact.Kind {
        switch self.payload.type {
        case .autoRenewable: return .subscription
        case .consumable, .nonConsumable, .nonRenewing: return .oneTime
        default: throw StoreError(.unreadable)
        }
    }

    private func quantity() throws(StoreError) -> Int {
        let quantity = self.payload.quantity ?? 1
        // The books count in numbers of this size.
        guard (1...Int(Int32.max)).contains(quantity) else { throw StoreError(.unreadable) }
        return quantity
    }

    private func ownership() throws(StoreError) -> StoreFact.Ownership {
        switch self.payload.inAppOwnershipType {
        case nil, .purchased: return .purchased
        case .familyShared: return .familyShared
        default: throw StoreError(.unreadable)
        }
    }

    private var periodType: StoreFact.PeriodType {
        if self.payload.offerDiscountType == .freeTrial { return .trial }
        switch self.payload.offerType {
        case .introductory:
            // Older data does not say how the offer is paid, and a price of zero means the same.
            return self.payload.offerDiscountType == nil && self.payload.price == 0 ? .trial : .intro
        case .promotional, .winBack: return .promotional
        default: return .normal
        }
    }

    /// Text without control characters, 255 bytes at most; nil for none.
    private static func text(_ text: String?) throws(StoreError) -> String? {
        guard let text, !text.isEmpty else { return nil }
        guard text.utf8.count <= 255, text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw StoreError(.unreadable)
        }
        return text
    }
}
