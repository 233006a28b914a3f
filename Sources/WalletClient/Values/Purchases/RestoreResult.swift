/// What a proof of possession brought back from a deleted account.
public struct RestoreResult: Codable, Sendable, Hashable {
    /// A purchase that the user has now.
    public struct Restored: Codable, Sendable, Hashable {
        /// The store's transaction id, where it has one.
        public var transactionID: String?
        /// The catalogue's product id, where the catalogue has the product.
        public var productID: String?
        /// `credit` or `visit`; nil for a plan that grants nothing countable.
        public var unit: BalanceUnit?
        /// How much it had granted.
        public var amount: Int64
        /// How much of that is left.
        public var remaining: Int64
        /// `restored`, `held` (it was the user's already) or `granted` (now, for the first time).
        public var result: RestoreOutcome

        /// Creates a value of the given properties, for previews and tests.
        public init(
            transactionID: String? = nil,
            productID: String? = nil,
            unit: BalanceUnit? = nil,
            amount: Int64,
            remaining: Int64,
            result: RestoreOutcome
        ) {
            self.transactionID = transactionID
            self.productID = productID
            self.unit = unit
            self.amount = amount
            self.remaining = remaining
            self.result = result
        }

        private enum CodingKeys: String, CodingKey {
            case transactionID = "transaction_id"
            case productID = "product_id"
            case unit
            case amount
            case remaining
            case result
        }
    }

    /// The purchases that the user has now.
    public var restored: [Restored]
    /// What was passed over, and why.
    public var skipped: [ReceiptResult.Skipped]
    /// The user's subscriptions afterwards.
    public var subscriptions: [Subscription]
    /// What the wallet holds afterwards.
    public var balance: BalanceSummary
    /// The wallet that the purchases are in; the client keeps to it from now on.
    public var environment: WalletEnvironment
    /// How many purchases of the former account still hold something and were not proven.
    public var unproven: Int64

    /// Creates a value of the given properties, for previews and tests.
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
