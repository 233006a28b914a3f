extension RevenueCatMessage {
    /// The maximum amount of an adjustment of RevenueCat and of a balance.
    private static let largestAmount: Int64 = 2_000_000_000

    /// Returns an event about RevenueCat's virtual currency; only amounts added by a purchase are reported, others are
    /// ignored.
    func currencyEvent() throws(StoreError) -> StoreEvent {
        guard let currencyCode else { return self.ignoredEvent(because: "currency-not-configured") }
        guard try self.record.text("source") == "in_app_purchase" else {
            return self.ignoredEvent(because: "no-purchase")
        }
        let amount = try self.amountAdded(of: currencyCode)
        guard amount > 0 else { return self.ignoredEvent(because: "nothing-added") }
        guard let product = try self.record.text("product_id") else { return self.ignoredEvent(because: "no-product") }
        var event = self.bareEvent()
        let fact = try self.currencyFact(product: product, amount: amount)
        event.statements = [.init(fact: fact, owners: try self.owners())]
        return event
    }

    /// The message does not prove the payment and omits kind and period; the purchase's own message contains them.
    private func currencyFact(product: String, amount: Int) throws(StoreError) -> StoreFact {
        let reportedAt = try self.reportedAt()
        let transactionID = try self.record.identifier("transaction_id")
        let ownID = try self.record.identifier("virtual_currency_transaction_id")
        let purchasedAt = try self.record.milliseconds("purchased_at_ms")
        var fact = StoreFact(
            store: StoreName(revenueCat: try self.record.text("store").orUnreadable()),
            environment: try self.environment("purchase_environment").orUnreadable(),
            transactionID: try (transactionID ?? ownID).orUnreadable(),
            storeProductID: product,
            kind: try self.record.milliseconds("expiration_at_ms") == nil ? .oneTime : .subscription,
            purchasedAt: try (purchasedAt ?? reportedAt).boughtBefore(self.datedAt()),
            source: .notification,
            sourceAt: reportedAt
        )
        fact.reportedAmount = amount
        fact.pending = true
        if transactionID != nil { fact.nameOrder() }
        return fact
    }

    private func amountAdded(of currencyCode: String) throws(StoreError) -> Int {
        var sum: Int64 = 0
        for adjustment in try self.record.list("adjustments").orUnreadable() {
            guard try adjustment.object("currency").orUnreadable().text("code") == currencyCode else { continue }
            let amount = try adjustment.integer("amount").orUnreadable()
            sum += min(max(amount, 0), Self.largestAmount + 1)
            guard sum <= Self.largestAmount else { throw StoreError(.unreadable) }
        }
        return Int(sum)
    }
}
