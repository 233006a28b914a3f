/// What a proof of possession brought back from a deleted account.
public struct RestoreResult: Decodable, Sendable, Equatable {
    /// A purchase that the user has now.
    public struct Restored: Decodable, Sendable, Equatable {
        /// The store's transaction id, where it has one.
        public let transactionID: String?
        /// The catalogue's product id, where the catalogue has the product.
        public let productID: String?
        /// `credit` or `visit`; nil for a plan that grants nothing countable.
        public let unit: String?
        /// How much it had granted.
        public let amount: Int64
        /// How much of that is left.
        public let remaining: Int64
        /// `restored`, `held` (it was the user's already) or `granted` (now, for the first time).
        public let result: String

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
    public let restored: [Restored]
    /// What was passed over, and why.
    public let skipped: [ReceiptResult.Skipped]
    /// The user's subscriptions afterwards.
    public let subscriptions: [Subscription]
    /// What the wallet holds afterwards.
    public let balance: BalanceSummary
    /// The wallet that the purchases are in; the client keeps to it from now on.
    public let environment: WalletEnvironment
    /// How many purchases of the former account still hold something and were not proven.
    public let unproven: Int64
}
