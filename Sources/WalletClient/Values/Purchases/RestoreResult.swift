/// The result of restoring the purchases of a deleted account.
public struct RestoreResult: Codable, Sendable, Hashable {
    /// A purchase that belongs to the user after the restore.
    public struct Restored: Codable, Sendable, Hashable {
        /// The store's transaction id; nil if the purchase has no id.
        public var transactionID: String?
        /// The catalogue's product id; nil if the catalogue has no such product.
        public var productID: String?
        /// `credit` or `visit`; nil for a plan that grants neither.
        public var unit: BalanceUnit?
        /// The amount that the purchase granted.
        public var amount: Int64
        /// The amount that is left.
        public var remaining: Int64
        /// All lots that the purchase granted; for a bundle, the properties above are those of the first one.
        public var lots: [PurchaseLot]
        /// `restored` (now), `held` (it already belonged to the user) or `granted` (now, for the first time).
        public var result: RestoreOutcome

        /// Creates a value with the given properties, for previews and tests.
        public init(
            transactionID: String? = nil,
            productID: String? = nil,
            unit: BalanceUnit? = nil,
            amount: Int64,
            remaining: Int64,
            lots: [PurchaseLot] = [],
            result: RestoreOutcome
        ) {
            self.transactionID = transactionID
            self.productID = productID
            self.unit = unit
            self.amount = amount
            self.remaining = remaining
            self.lots = lots
            self.result = result
        }

        private enum CodingKeys: String, CodingKey {
            case transactionID = "transaction_id"
            case productID = "product_id"
            case unit
            case amount
            case remaining
            case lots
            case result
        }
    }

    /// The purchases that belong to the user after the restore.
    public var restored: [Restored]
    /// The transactions that were skipped, with the reasons.
    public var skipped: [ReceiptResult.Skipped]
    /// The user's subscriptions after the restore.
    public var subscriptions: [Subscription]
    /// The balance after the restore.
    public var balance: BalanceSummary
    /// The wallet that holds the purchases, which the client uses from now on.
    public var environment: WalletEnvironment
    /// The number of purchases of the former account that still have a remaining amount and were not proven.
    public var unproven: Int64

    /// Creates a value with the given properties, for previews and tests.
    public init(
        restored: [Restored] = [],
        skipped: [ReceiptResult.Skipped] = [],
        subscriptions: [Subscription] = [],
        balance: BalanceSummary,
        environment: WalletEnvironment,
        unproven: Int64
    ) {
        self.restored = restored
        self.skipped = skipped
        self.subscriptions = subscriptions
        self.balance = balance
        self.environment = environment
        self.unproven = unproven
    }
}
