import Foundation

extension StoreFact: Codable {
    private enum CodingKeys: String, CodingKey {
        case store
        case environment
        case transactionID = "transaction_id"
        case originalTransactionID = "original_transaction_id"
        case lineItemID = "line_item_id"
        case purchaseToken = "purchase_token"
        case orderID = "order_id"
        case appTransactionID = "app_transaction_id"
        case storeProductID = "store_product_id"
        case purchaseProducts = "purchase_products"
        case kind
        case quantity
        case ownership
        case purchasedAt = "purchased_at"
        case expiresAt = "expires_at"
        case periodType = "period_type"
        case billingPeriod = "billing_period"
        case billingPeriods = "billing_periods"
        case commitmentRenews = "commitment_renews"
        case pending
        case upgraded
        case refundedMillionths = "refunded_millionths"
        case refundedAt = "refunded_at"
        case willRenew = "will_renew"
        case billingIssue = "billing_issue"
        case graceEndsAt = "grace_ends_at"
        case expiredAt = "expired_at"
        case revoked
        case paused
        case occasion
        case reportedAmount = "reported_amount"
        case linkedPurchaseToken = "linked_purchase_token"
        case needsAcknowledgement = "needs_acknowledgement"
        case appAccountToken = "app_account_token"
        case receiptSHA256 = "receipt_sha256"
        case source
        case sourceAt = "source_at"
    }

    /// Decodes a fact; absent members are unknown or false.
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: `DecodingError` for a missing identifier or an instant that is not RFC 3339.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.store = try members.decode(StoreName.self, forKey: .store)
        self.environment = try members.decode(StoreEnvironment.self, forKey: .environment)
        self.transactionID = try members.decode(String.self, forKey: .transactionID)
        self.originalTransactionID = try members.decodeIfPresent(String.self, forKey: .originalTransactionID)
        self.lineItemID = try members.decodeIfPresent(String.self, forKey: .lineItemID)
        self.purchaseToken = try members.decodeIfPresent(String.self, forKey: .purchaseToken)
        self.orderID = try members.decodeIfPresent(String.self, forKey: .orderID)
        self.appTransactionID = try members.decodeIfPresent(String.self, forKey: .appTransactionID)
        self.storeProductID = try members.decode(String.self, forKey: .storeProductID)
        self.purchaseProducts = try members.decodeIfPresent([String].self, forKey: .purchaseProducts)
        self.kind = try members.decode(Kind.self, forKey: .kind)
        self.quantity = try members.decodeIfPresent(Int.self, forKey: .quantity) ?? 1
        self.ownership = try members.decodeIfPresent(Ownership.self, forKey: .ownership) ?? .purchased
        self.purchasedAt = try members.decodeInstant(forKey: .purchasedAt)
        self.expiresAt = try members.decodeInstantIfPresent(forKey: .expiresAt)
        self.periodType = try members.decodeIfPresent(PeriodType.self, forKey: .periodType)
        self.commitment = try Self.commitment(in: members)
        self.commitmentRenews = try members.decodeIfPresent(Bool.self, forKey: .commitmentRenews)
        self.pending = try members.decodeIfPresent(Bool.self, forKey: .pending) ?? false
        self.upgraded = try members.decodeIfPresent(Bool.self, forKey: .upgraded) ?? false
        self.refundedMillionths = try members.decodeIfPresent(Int.self, forKey: .refundedMillionths)
        self.refundedAt = try members.decodeInstantIfPresent(forKey: .refundedAt)
        self.willRenew = try members.decodeIfPresent(Bool.self, forKey: .willRenew)
        self.billingIssue = try members.decodeIfPresent(Bool.self, forKey: .billingIssue)
        self.graceEndsAt = try members.decodeInstantIfPresent(forKey: .graceEndsAt)
        self.expiredAt = try members.decodeInstantIfPresent(forKey: .expiredAt)
        self.revoked = try members.decodeIfPresent(Bool.self, forKey: .revoked)
        self.paused = try members.decodeIfPresent(Bool.self, forKey: .paused)
        self.occasion = try members.decodeIfPresent(Occasion.self, forKey: .occasion)
        self.reportedAmount = try members.decodeIfPresent(Int.self, forKey: .reportedAmount)
        self.linkedPurchaseToken = try members.decodeIfPresent(String.self, forKey: .linkedPurchaseToken)
        self.needsAcknowledgement = try members.decodeIfPresent(Bool.self, forKey: .needsAcknowledgement)
        self.appAccountToken = Self.accountToken(try members.decodeIfPresent(String.self, forKey: .appAccountToken))
        self.receiptSHA256 = try members.decodeIfPresent(String.self, forKey: .receiptSHA256)
        self.source = try members.decode(Source.self, forKey: .source)
        self.sourceAt = try members.decodeInstant(forKey: .sourceAt)
    }

    private static func commitment(in members: KeyedDecodingContainer<CodingKeys>) throws -> Commitment? {
        guard let period = try members.decodeIfPresent(Int.self, forKey: .billingPeriod) else { return nil }
        let periods = try members.decode(Int.self, forKey: .billingPeriods)
        guard let commitment = Commitment(period: period, of: periods) else {
            throw DecodingError.dataCorruptedError(
                forKey: .billingPeriod,
                in: members,
                debugDescription: "not one of \(periods) billing periods"
            )
        }
        return commitment
    }

    /// Encodes the fact as `wallet.apply_fact` reads it, independent of the encoder's date and key strategies.
    /// - Parameter encoder: The encoder to write to.
    /// - Throws: The encoder's errors.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(self.store, forKey: .store)
        try members.encode(self.environment, forKey: .environment)
        try members.encode(self.transactionID, forKey: .transactionID)
        try members.encodeIfPresent(self.originalTransactionID, forKey: .originalTransactionID)
        try members.encodeIfPresent(self.lineItemID, forKey: .lineItemID)
        try members.encodeIfPresent(self.purchaseToken, forKey: .purchaseToken)
        try members.encodeIfPresent(self.orderID, forKey: .orderID)
        try members.encodeIfPresent(self.appTransactionID, forKey: .appTransactionID)
        try members.encode(self.storeProductID, forKey: .storeProductID)
        try members.encodeIfPresent(self.purchaseProducts, forKey: .purchaseProducts)
        try members.encode(self.kind, forKey: .kind)
        try members.encode(self.quantity, forKey: .quantity)
        try members.encode(self.ownership, forKey: .ownership)
        try members.encode(self.purchasedAt.storeInstant, forKey: .purchasedAt)
        try members.encodeIfPresent(self.expiresAt?.storeInstant, forKey: .expiresAt)
        try members.encodeIfPresent(self.periodType, forKey: .periodType)
        try members.encodeIfPresent(self.commitment?.period, forKey: .billingPeriod)
        try members.encodeIfPresent(self.commitment?.periods, forKey: .billingPeriods)
        try members.encodeIfPresent(self.commitmentRenews, forKey: .commitmentRenews)
        try members.encode(self.pending, forKey: .pending)
        try members.encode(self.upgraded, forKey: .upgraded)
        try members.encodeIfPresent(self.refundedMillionths, forKey: .refundedMillionths)
        try members.encodeIfPresent(self.refundedAt?.storeInstant, forKey: .refundedAt)
        try members.encodeIfPresent(self.willRenew, forKey: .willRenew)
        try members.encodeIfPresent(self.billingIssue, forKey: .billingIssue)
        try members.encodeIfPresent(self.graceEndsAt?.storeInstant, forKey: .graceEndsAt)
        try members.encodeIfPresent(self.expiredAt?.storeInstant, forKey: .expiredAt)
        try members.encodeIfPresent(self.revoked, forKey: .revoked)
        try members.encodeIfPresent(self.paused, forKey: .paused)
        try members.encodeIfPresent(self.occasion, forKey: .occasion)
        try members.encodeIfPresent(self.reportedAmount, forKey: .reportedAmount)
        try members.encodeIfPresent(self.linkedPurchaseToken, forKey: .linkedPurchaseToken)
        try members.encodeIfPresent(self.needsAcknowledgement, forKey: .needsAcknowledgement)
        try members.encodeIfPresent(self.appAccountToken?.uuidString.lowercased(), forKey: .appAccountToken)
        try members.encodeIfPresent(self.receiptSHA256, forKey: .receiptSHA256)
        try members.encode(self.source, forKey: .source)
        try members.encode(self.sourceAt.storeInstant, forKey: .sourceAt)
    }
}

extension KeyedDecodingContainer {
    fileprivate func decodeInstant(forKey key: Key) throws -> Date {
        let text = try self.decode(String.self, forKey: key)
        guard let instant = Date(storeInstant: text) else {
            throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "not an RFC 3339 instant")
        }
        return instant
    }

    fileprivate func decodeInstantIfPresent(forKey key: Key) throws -> Date? {
        guard try self.contains(key) && !self.decodeNil(forKey: key) else { return nil }
        return try self.decodeInstant(forKey: key)
    }
}
