extension AppStoreServerAPI {
    /// Returns the status of a customer's subscriptions.
    /// - Parameter anyTransactionID: The id of any of the customer's transactions.
    /// - Returns: One fact per subscription: its latest period with its renewal, billing and expiry status.
    /// - Throws: ``StoreError`` as for ``transaction(_:)``.
    public func subscriptions(of anyTransactionID: String) async throws(StoreError) -> [StoreFact] {
        let question = AppStoreServerQuestion(
            operation: .appStoreSubscriptions,
            path: "/inApps/v1/subscriptions/\(try Self.segment(anyTransactionID))"
        )
        let (body, side) = try await self.ask(question)
        let answer = try self.read(AppStoreSubscriptionsAnswer.self, from: body)
        try self.expectAgreement(bundleID: answer.bundleID, environment: answer.environment, of: side)
        var facts: [StoreFact] = []
        for subscription in answer.data.flatMap(\.lastTransactions) {
            facts.append(try await self.fact(of: subscription, from: side))
        }
        return facts
    }

    private func fact(
        of subscription: AppStoreSubscriptionsAnswer.Subscription,
        from side: StoreEnvironment
    ) async throws(StoreError) -> StoreFact {
        let transaction = try await self.verified(subscription.signedTransactionInfo, of: side)
        var fact = try await self.believing { () throws(StoreError) in try transaction.fact(source: .serverAPI) }
        let original = subscription.originalTransactionID
        guard original == nil || original == fact.originalTransactionID else {
            throw self.disagreement("original transaction id", of: side)
        }
        if let signed = subscription.signedRenewalInfo {
            let renewal = try await self.believing { () throws(StoreError) in
                try await self.verifier.renewalInfo(signed)
            }
            guard renewal.payload.environment?.side == side else { throw self.disagreement("environment", of: side) }
            guard renewal.payload.originalTransactionId == fact.originalTransactionID else {
                throw self.disagreement("original transaction id", of: side)
            }
            renewal.overlay(on: &fact)
        }
        subscription.overlay(on: &fact)
        return fact
    }
}
