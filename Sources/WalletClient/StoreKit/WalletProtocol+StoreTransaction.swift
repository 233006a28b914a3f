extension WalletProtocol {
    /// Submits a transaction of the store and finishes it if the wallet has decided on it for good.
    ///
    /// What is not finished comes again with the next start of the app, and is granted once.
    /// - Parameter transaction: the transaction, which the store has verified.
    /// - Returns: what was granted and what was passed over.
    /// - Throws: ``WalletProblem`` and ``WalletClientError``. Of these only `transaction-already-claimed` finishes the
    ///   transaction: its grant is in the books, of this user or another one.
    @discardableResult
    public func submit(_ transaction: some StoreTransaction) async throws -> ReceiptResult {
        do {
            let result = try await self.submit(signedTransaction: transaction.signedTransaction)
            if result.finish.contains(transaction.id) { await transaction.finish() }
            return result
        } catch let problem as WalletProblem where problem.slug == .transactionAlreadyClaimed {
            await transaction.finish()
            throw problem
        }
    }
}
