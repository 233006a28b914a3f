import Foundation

extension GooglePlayAPI {
    /// Asks what a notification leaves open, and puts the answer into it.
    ///
    /// The notification is only a hint: whatever it says of a purchase, the store's answer now decides. One thing it
    /// alone says is that an order was voided.
    /// - Parameter event: a notification.
    /// - Returns: the notification with its statements and without its question; one without a question as it is.
    /// - Throws: ``StoreError``: `notFound`, `rejected`, `misconfigured`, `unavailable`, also for an answer that cannot be
    ///   read.
    public func answer(_ event: StoreEvent) async throws(StoreError) -> StoreEvent {
        guard let question = event.question else { return event }
        var answered = event
        answered.question = nil
        let facts: [StoreFact] =
            switch question.kind {
            case .product: try await self.productFacts(question)
            case .subscription: try await self.subscriptionFacts(question)
            // Google Play is asked about whole purchases only.
            case .period: []
            }
        answered.statements += facts.map { .init(fact: $0) }
        return answered
    }

    private func productFacts(_ question: StoreEvent.Lookup) async throws(StoreError) -> [StoreFact] {
        var facts = try await self.purchase(productID: question.productID, token: question.purchaseToken)
        guard question.isVoided else { return facts }
        for index in facts.indices {
            facts[index].void(by: question)
        }
        return facts
    }

    private func subscriptionFacts(_ question: StoreEvent.Lookup) async throws(StoreError) -> [StoreFact] {
        let isRenewal = question.occasion == .renewal
        let answer = try await self.subscriptionAnswer(
            token: question.purchaseToken,
            renewedAt: isRenewal ? Date(storeInstant: question.at) : nil
        )
        var facts = try self.read { () throws(StoreError) in try answer.facts() }
        guard question.isVoided else { return facts }
        let orderID = question.orderID
        for index in facts.indices where orderID == nil || facts[index].orderID == orderID {
            facts[index].void(by: question)
        }
        if let orderID, !facts.contains(where: { $0.orderID == orderID }) {
            // The order names no product, so all that the subscription has are meant.
            for (item, newest) in zip(try answer.ownedItems(), facts) {
                var older = try answer.fact(ofOlder: orderID, item: item, newest: newest)
                older.void(by: question)
                facts.append(older)
            }
        }
        return facts
    }
}

extension StoreFact {
    /// Takes all of the purchase back.
    fileprivate mutating func void(by question: StoreEvent.Lookup) {
        if self.orderID == nil, let orderID = question.orderID {
            self.orderID = orderID
            self.transactionID = orderID
        }
        self.refundedMillionths = 1_000_000
        self.refundedAt = Date(storeInstant: question.at)
        self.occasion = .refund
    }
}
