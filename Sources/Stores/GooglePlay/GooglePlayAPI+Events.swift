import Foundation

extension GooglePlayAPI {
    /// Performs the lookup of a notification and adds the facts to it.
    ///
    /// The notification is only a hint; the store's answer determines the state of the purchase. Only the voiding of an
    /// order is taken from the notification itself.
    /// - Parameter event: A notification.
    /// - Returns: The notification with its facts and without its lookup; an event without a lookup is returned
    ///   unchanged.
    /// - Throws: ``StoreError``: `notFound`, `rejected`, `misconfigured`, `unavailable`, also for an answer that cannot
    ///   be read.
    public func answer(_ event: StoreEvent) async throws(StoreError) -> StoreEvent {
        guard let question = event.question else { return event }
        var answered = event
        answered.question = nil
        let facts: [StoreFact] =
            switch question.kind {
            case .product: try await self.productFacts(question)
            case .subscription: try await self.subscriptionFacts(question)
            // Google Play can look up only whole purchases.
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
            // The order identifies no product, so all products of the subscription are voided.
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
    /// Marks the whole purchase as refunded.
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
