extension AppStoreServerAPI {
    /// Returns all purchases that a customer ever made in the app, including finished consumables.
    ///
    /// Reads all pages; the environment that answers the first page also answers the others.
    /// - Parameter anyTransactionID: The id of any of the customer's transactions.
    /// - Returns: One fact per transaction, in the store's order.
    /// - Throws: ``StoreError`` as for ``transaction(_:)``; `unavailable` if a page repeats or there are too many
    ///   pages.
    public func history(of anyTransactionID: String) async throws(StoreError) -> [StoreFact] {
        let path = "/inApps/v2/history/\(try Self.segment(anyTransactionID))"
        var question = AppStoreServerQuestion(operation: .appStoreTransactions, path: path)
        let (body, side) = try await self.ask(question)
        var page = try self.read(AppStoreTransactionsAnswer.self, from: body)
        var facts = try await self.facts(of: page, from: side)
        var revisions: Set<String> = []
        while page.hasMore {
            guard let revision = page.revision, let segment = StorePath.segment(revision),
                revisions.insert(revision).inserted, revisions.count < self.configuration.maximumPages
            else { throw self.disagreement("revision", of: side) }
            question.path = "\(path)?revision=\(segment)"
            let body = try await self.ask(question, of: side)
            page = try self.read(AppStoreTransactionsAnswer.self, from: body)
            facts += try await self.facts(of: page, from: side)
        }
        return facts
    }

    private func facts(
        of page: AppStoreTransactionsAnswer,
        from side: StoreEnvironment
    ) async throws(StoreError) -> [StoreFact] {
        try self.expectAgreement(bundleID: page.bundleID, environment: page.environment, of: side)
        return try await self.facts(from: page.signedTransactions, of: side)
    }
}
