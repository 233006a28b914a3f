public import Foundation

/// A receipt that the store stands by, turned into facts.
public struct VerifiedReceipt: Sendable, Equatable {
    /// A transaction of the receipt that became no fact.
    public struct SkippedTransaction: Sendable, Equatable {
        /// Why a transaction became no fact.
        public enum Reason: String, Sendable, Hashable {
            /// An identifier, the product or the purchase instant is missing or cannot be read.
            case malformed = "malformed-transaction"
            /// The quantity is not one that the store sells: 1 to 10.
            case quantityOutOfRange = "quantity-out-of-range"
        }

        /// The store's id of the transaction, nil if not even that can be read.
        public let transactionID: String?
        /// Why it became no fact.
        public let reason: Reason
    }

    /// The side of the store that stands by the receipt.
    public let environment: StoreEnvironment
    /// The app that the receipt is for; one of the configured ones.
    public let bundleID: String
    /// One fact a transaction, oldest purchase first; empty for a receipt that bought nothing.
    public let facts: [StoreFact]
    /// The transactions that became no fact, so that none is lost in silence.
    public let skipped: [SkippedTransaction]
    /// SHA-256 of the receipt's bytes as lower-case hex: what the books keep in place of the receipt.
    public let receiptSHA256: String
    /// When the store answered, by its own clock.
    public let requestedAt: Date
}
