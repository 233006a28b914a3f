#if canImport(StoreKit)
    public import StoreKit

    /// A verified transaction of StoreKit with what the App Store signed.
    public struct StoreKitTransaction: StoreTransaction {
        /// The transaction as StoreKit decoded it.
        public let transaction: Transaction
        /// The transaction as the App Store signed it (`jwsRepresentation`).
        public let signedTransaction: String

        /// Takes a result of StoreKit.
        /// - Parameter result: what StoreKit delivered.
        /// - Throws: StoreKit's `VerificationError` for what it could not verify.
        public init(_ result: VerificationResult<Transaction>) throws {
            self.transaction = try result.payloadValue
            self.signedTransaction = result.jwsRepresentation
        }

        /// The store's transaction id.
        public var id: String { String(self.transaction.id) }

        /// Takes the transaction out of StoreKit's queue.
        public func finish() async {
            await self.transaction.finish()
        }
    }
#endif
