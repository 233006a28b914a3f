public import Foundation

/// What the wallet made of a submitted receipt.
public struct ReceiptResult: Codable, Sendable, Hashable {
    /// A transaction that the user has the grant of.
    public struct Granted: Codable, Sendable, Hashable, Identifiable {
        /// The store's transaction id.
        public var transactionID: String
        /// The catalogue's product id.
        public var productID: String?
        /// `credit` or `visit`; nil for a plan that grants nothing countable.
        public var unit: BalanceUnit?
        /// How much was granted.
        public var amount: Int64
        /// The lot that holds it.
        public var lotID: UUID?
        /// Whether it had been granted before.
        public var duplicate: Bool

        /// The identity in a list, ``transactionID``.
        public var id: String { self.transactionID }

        /// Creates a value of the given properties, for previews and tests.
        public init(
            transactionID: String,
            productID: String? = nil,
            unit: BalanceUnit? = nil,
            amount: Int64,
            lotID: UUID? = nil,
            duplicate: Bool
        ) {
            self.transactionID = transactionID
            self.productID = productID
            self.unit = unit
            self.amount = amount
            self.lotID = lotID
            self.duplicate = duplicate
        }

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
    public struct Skipped: Codable, Sendable, Hashable {
        /// The store's transaction id; nil where it could not be read.
        public var transactionID: String?
        /// Why not, as a word for programs.
        public var reason: SkipReason

        /// Creates a value of the given properties, for previews and tests.
        public init(
            transactionID: String? = nil,
            reason: SkipReason
        ) {
            self.transactionID = transactionID
            self.reason = reason
        }

        private enum CodingKeys: String, CodingKey {
            case transactionID = "transaction_id"
            case reason
        }
    }

    /// What the user has the grants of, now or from before.
    public var granted: [Granted]
    /// What was passed over.
    public var skipped: [Skipped]
    /// The user's subscriptions afterwards.
    public var subscriptions: [Subscription]
    /// What the wallet holds afterwards.
    public var balance: BalanceSummary
    /// The wallet that was credited; the client keeps to it from now on.
    public var environment: WalletEnvironment
    /// The transactions that the app may finish with the store: their grants are in the books.
    public var finish: [String]

    /// Creates a value of the given properties, for previews and tests.
    public init(
        granted: [Granted] = [],
        skipped: [Skipped] = [],
        subscriptions: [Subscription] = [],
        balance: BalanceSummary,
        environment: WalletEnvironment,
        finish: [String] = []
    ) {
        self.granted = granted
        self.skipped = skipped
        self.subscriptions = subscriptions
        self.balance = balance
        self.environment = environment
        self.finish = finish
    }
}
