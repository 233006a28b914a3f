import Foundation

/// Google Play's answer about one one-time product.
struct GooglePlayProduct {
    let answer: StoreDocument
    let token: String
    let answeredAt: Date

    /// Returns the fact; the answer must match the requested product and token.
    func fact(of productID: String) throws(StoreError) -> StoreFact {
        try self.checkAgreement(with: productID)
        let orderID = try self.answer.text("orderId")
        let quantity = try self.answer.quantity("quantity") ?? 1
        guard quantity > 0 else { throw StoreError(.unreadable) }
        var fact = StoreFact(
            store: .playStore,
            environment: try self.answer.integer("purchaseType") == 0 ? .sandbox : .production,
            transactionID: orderID ?? self.token,
            storeProductID: productID,
            kind: .oneTime,
            quantity: quantity,
            purchasedAt: try self.answer.milliseconds("purchaseTimeMillis").orUnreadable()
                .boughtBefore(self.answeredAt),
            source: .serverAPI,
            sourceAt: self.answeredAt
        )
        fact.orderID = orderID
        fact.purchaseToken = self.token
        fact.appAccountToken = StoreFact.accountToken(try self.answer.text("obfuscatedExternalAccountId"))
        try self.addState(to: &fact)
        return fact
    }

    private func checkAgreement(with productID: String) throws(StoreError) {
        let named = try self.answer.text("productId") ?? productID
        let token = try self.answer.text("purchaseToken", atMost: StorePath.maximumBytes) ?? self.token
        guard named == productID, token == self.token else { throw StoreError(.rejected) }
    }

    private func addState(to fact: inout StoreFact) throws(StoreError) {
        switch try self.answer.integer("purchaseState") {
        case 0:
            fact.needsAcknowledgement = try self.needsAcknowledgement()
            try fact.addRefund(refundable: try self.answer.quantity("refundableQuantity"))
        case 1: fact.addCancellation()
        case 2: fact.pending = true
        default: throw StoreError(.unreadable)
        }
    }

    /// A consumed product is acknowledged by its consumption.
    private func needsAcknowledgement() throws(StoreError) -> Bool? {
        if try self.answer.integer("consumptionState") == 1 { return false }
        return try self.answer.integer("acknowledgementState").map { $0 == 0 }
    }
}

/// Google Play's newer answer about one-time products, which lists the products.
struct GooglePlayProductV2 {
    let answer: StoreDocument
    let token: String
    let answeredAt: Date

    /// Returns one fact per product.
    func facts() throws(StoreError) -> [StoreFact] {
        var facts: [StoreFact] = []
        for item in try self.answer.list("productLineItem", atMost: StoreFact.mostProducts).orUnreadable() {
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

extension StoreFact {
    /// Marks a purchase that the store cancelled.
    ///
    /// A purchase without an order was never paid, so it is marked as pending instead of refunded.
    fileprivate mutating func addCancellation() {
        guard self.orderID != nil else {
            self.pending = true
            return
        }
        self.refundedMillionths = 1_000_000
        self.refundedAt = self.sourceAt
    }

    /// Sets the refunded share, computed from the quantity that is still refundable.
    ///
    /// If nothing is refunded, the share stays nil: a delayed answer must not undo a refund.
    fileprivate mutating func addRefund(refundable: Int?) throws(StoreError) {
        guard let refundable else { return }
        guard refundable <= self.quantity else { throw StoreError(.unreadable) }
        let refunded = self.quantity - refundable
        guard refunded > 0 else { return }
        self.refundedMillionths = refunded * 1_000_000 / self.quantity
        self.refundedAt = self.sourceAt
    }
}

extension StoreDocument {
    /// Returns a quantity between 0 and 1,000.
    fileprivate func quantity(_ key: String) throws(StoreError) -> Int? {
        guard let number = try self.integer(key) else { return nil }
        guard (0...1_000).contains(number) else { throw StoreError(.unreadable) }
        return Int(number)
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
