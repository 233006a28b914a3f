#if canImport(StoreKit)
    public import StoreKit

    extension WalletProtocol {
        /// Submits what StoreKit delivered and finishes it if the wallet has decided on it for good.
        /// - Parameter result: what `Product.purchase()`, `Transaction.updates` or `Transaction.unfinished` gave.
        /// - Returns: what was granted and what was passed over.
        /// - Throws: StoreKit's `VerificationError`, ``WalletProblem``, ``WalletClientError``.
        @discardableResult
        public func submit(_ result: VerificationResult<Transaction>) async throws -> ReceiptResult {
            try await self.submit(StoreKitTransaction(result))
        }

        /// Submits what StoreKit has not finished yet and all that it delivers, until the task is cancelled.
        ///
        /// Start it when the app starts and the user is signed in: purchases made elsewhere, renewals and what was
        /// approved by a parent come only this way.
        /// - Parameter report: gets the outcome of each transaction.
        public func submitTransactions(
            report: @escaping @Sendable (Result<ReceiptResult, any Error>) async -> Void
        ) async {
            async let unfinished: Void = self.submitEach(of: Transaction.unfinished, report)
            await self.submitEach(of: Transaction.updates, report)
            await unfinished
        }

        private func submitEach(
            of transactions: Transaction.Transactions,
            _ report: @Sendable (Result<ReceiptResult, any Error>) async -> Void
        ) async {
            for await transaction in transactions {
                do {
                    await report(.success(try await self.submit(transaction)))
                } catch {
                    await report(.failure(error))
                }
            }
        }
    }
#endif
