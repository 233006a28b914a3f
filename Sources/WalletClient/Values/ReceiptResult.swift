public import Foundation

/// What the wallet made of a submitted receipt.
public struct ReceiptResult: Decodable, Sendable, Equatable {
    /// A transaction that the user has the grant of.
    public struct Granted: Decodable, Sendable, Equatable {
        /// The store's transaction id.
        public let transactionID: String
        /// The catalogue's product id.
        public let productID: String?
        /// `credit` or `visit`; nil for a plan that grants nothing countable.
        public let unit: String?
        /// How much was granted.
        public let amount: Int64
        /// The lot that holds it.
        public let lotID: UUID?
        /// Whether it had been granted before.
        public let duplicate: Bool

        private enum CodingKeys: String, CodingKey {
            case transactionID = "transaction_id"
            case productID = "product_id"
            case unit
            case amount
            case lotID = "lot_id"
            case duplicate
        }
    }

    /// A transaction that nothing was granted for.
    public struct Skipped: Decodable, Sendable, Equatable {
        /// The store's transaction id; nil where it could not be read.
        public let transactionID: String?
        /// Why not, as a word for programs.
        public let reason: String

        private enum CodingKeys: String, CodingKey {
            case transactionID = "transaction_id"
            case reason
        }
    }

    /// What the user has the grants of, now or from before.
    public let granted: [Granted]
    /// What was passed over.
    public let skipped: [Skipped]
    /// The user's subscriptions afterwards.
    public let subscriptions: [Subscription]
    /// What the wallet holds afterwards.
    public let balance: BalanceSummary
    /// The wallet that was credited; the client keeps to it from now on.
    public let environment: WalletEnvironment
    /// The transactions that the app may finish with the store: their grants are in the books.
    public let finish: [String]
}
