import Foundation

/// Google Play's newer answer about one-time products, which lists the products.
struct GooglePlayProductV2 {
    let answer: StoreDocument
    let token: String
    let answeredAt: Date

    /// Returns one fact per product.
    func facts() throws(StoreError) -> [StoreFact] {
        var facts: [StoreFact] = []
        for item in try self.answer.list("productLineItem").orUnreadable() {
            facts.append(try self.fact(of: item))
        }
        guard !facts.isEmpty else { throw StoreError(.unreadable) }
        return facts.listingProducts(ofEach: \.purchaseToken)
    }

    private func fact(of item: StoreDocument) throws(StoreError) -> StoreFact {
        let orderID = try self.answer.text("orderId")
        let details = try item.object("productOfferDetails")
        let quantity = try details?.quantity("quantity") ?? 1
        guard quantity > 0 else { throw StoreError(.unreadable) }
        // A pending purchase has no completion time.
        let completedAt = try self.answer.instant("purchaseCompletionTime") ?? self.answeredAt
        var fact = StoreFact(
            store: .playStore,
            environment: self.answer["testPurchaseContext"] == nil ? .production : .sandbox,
            transactionID: orderID ?? self.token,
            storeProductID: try item.text("productId").orUnreadable(),
            kind: .oneTime,
            quantity: quantity,
            purchasedAt: try completedAt.boughtBefore(self.answeredAt),
            source: .serverAPI,
            sourceAt: self.answeredAt
        )
        fact.orderID = orderID
        fact.purchaseToken = self.token
        fact.appAccountToken = StoreFact.accountToken(try self.answer.text("obfuscatedExternalAccountId"))
        try self.addState(to: &fact, details: details)
        return fact
    }

    private func addState(to fact: inout StoreFact, details: StoreDocument?) throws(StoreError) {
        switch try self.answer.object("purchaseStateContext").orUnreadable().text("purchaseState") {
        case "PURCHASED":
            let isConsumed = try details?.text("consumptionState") == "CONSUMPTION_STATE_CONSUMED"
            let needs = GooglePlayAcknowledgement.isAwaited(try self.answer.text("acknowledgementState"))
            fact.needsAcknowledgement = isConsumed ? false : needs
            try fact.addRefund(refundable: try details?.quantity("refundableQuantity"))
        case "CANCELLED": fact.addCancellation()
        case "PENDING": fact.pending = true
        default: throw StoreError(.unreadable)
        }
    }
}

/// Reads whether Google Play's newer answers still expect an acknowledgement.
enum GooglePlayAcknowledgement {
    /// Returns nil if the answer does not contain the state.
    static func isAwaited(_ state: String?) -> Bool? {
        switch state {
        case "ACKNOWLEDGEMENT_STATE_PENDING": true
        case "ACKNOWLEDGEMENT_STATE_ACKNOWLEDGED": false
        default: nil
        }
    }
}
