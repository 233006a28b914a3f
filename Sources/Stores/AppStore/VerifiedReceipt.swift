public import Foundation

/// A receipt that the store confirmed, converted to facts.
public struct VerifiedReceipt: Sendable, Equatable {
    /// A transaction of the receipt that could not be converted to a fact.
    public struct SkippedTransaction: Sendable, Equatable {
        /// The reason why a transaction was skipped.
        public enum Reason: String, Sendable, Hashable {
            /// An identifier, the product or the purchase instant is missing or cannot be read.
            case malformed = "malformed-transaction"
            /// The quantity is outside the range that the store sells: 1 to 10.
            case quantityOutOfRange = "quantity-out-of-range"
        }

        /// The store's id of the transaction, nil if the id cannot be read.
        public let transactionID: String?
        /// The reason why the transaction was skipped.
        public let reason: Reason
    }

    /// The store environment that confirmed the receipt.
    public let environment: StoreEnvironment
    /// The app that the receipt is for; one of the configured ones.
    public let bundleID: String
    /// One fact per transaction, oldest purchase first; empty for a receipt without purchases.
    public let facts: [StoreFact]
    /// The skipped transactions, so that the caller can report them.
    public let skipped: [SkippedTransaction]
    /// SHA-256 of the receipt's bytes as lower-case hex; the database stores it instead of the receipt.
    public let receiptSHA256: String
    /// The time of the store's answer, by the store's clock.
    public let requestedAt: Date
}
