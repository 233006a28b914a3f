import Foundation

extension SignedTransaction {
    private typealias Payload = JWSTransactionDecodedPayload

    /// Returns the fact of the transaction, as of the time at which the store signed it.
    ///
    /// A transaction without a revocation reports that nothing is refunded. One that an upgrade cut short reports
    /// nothing about refunds: the store itself repays the rest of that period.
    /// - Parameter source: The source of the transaction.
    /// - Returns: The fact; a purchase shared by a family member is marked as shared.
    /// - Throws: ``StoreError`` with `unreadable` if a member is missing or invalid, or if the product type or the
    ///   ownership is unknown.
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

    /// Returns the refunded share of the price, in millionths.
    ///
    /// A revocation without a percentage means a full refund. The end of family sharing also revokes everything.
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
        // Any member about a revocation proves one, even without its date.
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

    /// Returns the position in a commitment; throws if a period billed in parts omits it, since its credits would be
    /// granted in full.
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
        // The database stores the quantity as a 32-bit integer.
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
            // Older data omits the discount type; a price of zero also means a free trial.
            return self.payload.offerDiscountType == nil && self.payload.price == 0 ? .trial : .intro
        case .promotional, .winBack: return .promotional
        default: return .normal
        }
    }

    /// Returns text without control characters and of at most 255 bytes; nil for absent or empty text.
    private static func text(_ text: String?) throws(StoreError) -> String? {
        guard let text, !text.isEmpty else { return nil }
        guard text.utf8.count <= 255, text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw StoreError(.unreadable)
        }
        return text
    }
}
