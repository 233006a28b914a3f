public import Foundation

/// The result of a submitted proof of purchase.
public struct ReceiptResult: Codable, Sendable, Hashable {
    /// A transaction whose grant belongs to the user.
    public struct Granted: Codable, Sendable, Hashable, Identifiable {
        /// The store's transaction id.
        public var transactionID: String
        /// The catalogue's product id.
        public var productID: String?
        /// `credit` or `visit`; nil for a plan that grants neither.
        ///
        /// For a bundle, `unit`, `amount` and `lotID` are those of the first lot.
        public var unit: BalanceUnit?
        /// The amount that was granted.
        public var amount: Int64
        /// The id of the lot that holds the grant.
        public var lotID: UUID?
        /// All lots that the purchase granted, the first one included.
        public var lots: [PurchaseLot]
        /// A Boolean value that indicates whether the wallet had already granted the transaction.
        public var isDuplicate: Bool

        /// The identity in a list, ``transactionID``.
        public var id: String { self.transactionID }

        /// Creates a value with the given properties, for previews and tests.
        public init(
            transactionID: String,
            productID: String? = nil,
            unit: BalanceUnit? = nil,
            amount: Int64,
            lotID: UUID? = nil,
            lots: [PurchaseLot] = [],
            isDuplicate: Bool
        ) {
            self.transactionID = transactionID
            self.productID = productID
            self.unit = unit
            self.amount = amount
            self.lotID = lotID
            self.lots = lots
            self.isDuplicate = isDuplicate
        }

        private enum CodingKeys: String, CodingKey {
            case transactionID = "transaction_id"
            case productID = "product_id"
            case unit
            case amount
            case lotID = "lot_id"
            case lots
            case isDuplicate = "duplicate"
        }
    }

    /// A transaction for which the wallet granted nothing.
    public struct Skipped: Codable, Sendable, Hashable {
        /// The store's transaction id; nil if the wallet could not read it.
        public var transactionID: String?
        /// The reason, as a machine-readable code.
        public var reason: SkipReason

        /// Creates a value with the given properties, for previews and tests.
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

    /// The transactions whose grants belong to the user, granted now or earlier.
    public var granted: [Granted]
    /// The transactions for which the wallet granted nothing.
    public var skipped: [Skipped]
    /// The user's subscriptions after the submission.
    public var subscriptions: [Subscription]
    /// The balance after the submission.
    public var balance: BalanceSummary
    /// The wallet that was credited, which the client uses from now on.
    public var environment: WalletEnvironment
    /// The ids of the transactions that the app may finish with the store, because the wallet's decision is final.
    public var finish: [String]

    /// Creates a value with the given properties, for previews and tests.
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
