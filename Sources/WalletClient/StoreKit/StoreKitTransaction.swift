#if canImport(StoreKit)
    public import StoreKit

    /// A verified StoreKit transaction with its App Store signature.
    public struct StoreKitTransaction: StoreTransaction {
        /// The transaction as StoreKit decoded it.
        public let transaction: Transaction
        /// The transaction as the App Store signed it (`jwsRepresentation`).
        public let signedTransaction: String

        /// Creates a transaction from a verification result of StoreKit.
        /// - Parameter result: The result that StoreKit delivered.
        /// - Throws: StoreKit's `VerificationError` if StoreKit could not verify the transaction.
        public init(_ result: VerificationResult<Transaction>) throws {
            self.transaction = try result.payloadValue
            self.signedTransaction = result.jwsRepresentation
        }

        /// The store's transaction id.
        public var id: String { String(self.transaction.id) }

        /// Removes the transaction from StoreKit's queue.
        public func finish() async {
            await self.transaction.finish()
        }
    }

    extension WalletProtocol {
        /// Submits a StoreKit result and finishes the transaction if the wallet's decision is final.
        /// - Parameter result: A result from `Product.purchase()`, `Transaction.updates` or `Transaction.unfinished`.
        /// - Returns: The granted and the skipped transactions.
        /// - Throws: StoreKit's `VerificationError`, ``WalletProblem``, ``WalletClientError``.
        @discardableResult
        public func submit(_ result: VerificationResult<Transaction>) async throws -> ReceiptResult {
            try await self.submit(StoreKitTransaction(result))
        }

        /// Submits all unfinished StoreKit transactions and every new one until the task is cancelled.
        ///
        /// Call it when the app starts and the user is signed in. Purchases on other devices, renewals and purchases
        /// that a parent approved arrive only through this method.
        /// - Parameter report: A closure that receives the outcome of each transaction.
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
