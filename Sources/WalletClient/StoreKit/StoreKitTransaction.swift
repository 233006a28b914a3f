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
#endif
