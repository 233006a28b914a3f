import Foundation

/// One transaction of a receipt, as the verification endpoint writes it.
struct ReceiptTransaction {
    let record: StoreRecord
    let id: String

    /// Returns the fact of the transaction.
    /// - Parameters:
    ///   - environment: The store environment that answered.
    ///   - receiptSHA256: The hash of the receipt that contains the transaction.
    ///   - sourceAt: The time of the store's answer.
    /// - Returns: The fact; its quantity is not checked.
    /// - Throws: ``StoreRecord/Unreadable`` if a required member is missing or a member cannot be read.
    func fact(
        environment: StoreEnvironment,
        receiptSHA256: String,
        sourceAt: Date
    ) throws(StoreRecord.Unreadable) -> StoreFact {
        guard
            let product = try self.record.text("product_id"),
            let purchasedAt = try self.record.datedInstant("purchase_date"),
            (try? purchasedAt.boughtBefore(sourceAt)) != nil
        else { throw StoreRecord.Unreadable() }
        let expiresAt = try self.record.datedInstant("expires_date")
        let lineItemID = try self.record.text("web_order_line_item_id")
        let quantity = try self.record.integer("quantity")
        var fact = StoreFact(
            store: .appStore,
            environment: environment,
            transactionID: self.id,
            storeProductID: product,
            kind: expiresAt == nil && lineItemID == nil ? .oneTime : .subscription,
            quantity: quantity ?? 1,
            ownership: try self.ownership(),
            purchasedAt: purchasedAt,
            source: .receipt,
            sourceAt: sourceAt
        )
        fact.originalTransactionID = try self.record.text("original_transaction_id")
        fact.lineItemID = lineItemID
        fact.expiresAt = expiresAt
        fact.periodType = fact.kind == .subscription ? try self.periodType() : nil
        fact.appAccountToken = StoreFact.accountToken(try self.record.text("app_account_token"))
        fact.receiptSHA256 = receiptSHA256
        try self.addCancellation(to: &fact)
        return fact
    }

    private func ownership() throws(StoreRecord.Unreadable) -> StoreFact.Ownership {
        switch try self.record.text("in_app_ownership_type") {
        case nil, "PURCHASED": return .purchased
        case "FAMILY_SHARED": return .familyShared
        default: throw StoreRecord.Unreadable()
        }
    }

    private func periodType() throws(StoreRecord.Unreadable) -> StoreFact.PeriodType {
        if try self.record.flag("is_trial_period") == true { return .trial }
        if try self.record.flag("is_in_intro_offer_period") == true { return .intro }
        return try self.record.text("promotional_offer_id") == nil ? .normal : .promotional
    }

    /// Reads a cancellation, which always applies to the whole transaction.
    ///
    /// An upgrade also sets a cancellation date. It is not a refund to record: the store itself repays the rest of the
    /// period.
    private func addCancellation(to fact: inout StoreFact) throws(StoreRecord.Unreadable) {
        fact.upgraded = try self.record.flag("is_upgraded") ?? false
        guard let cancelledAt = try self.record.datedInstant("cancellation_date"), !fact.upgraded else { return }
        fact.refundedMillionths = 1_000_000
        fact.refundedAt = cancelledAt
    }
}
