import Foundation

/// Everything that the stores remember, as it stands in the state file.
struct SandboxState: Sendable {
    /// How far the stores' clock is ahead of the machine's.
    var offsetSeconds = 0
    /// The last id given out; transactions, orders and billing periods share the count.
    var lastID = Int.random(in: 2_000_000_100_000_000..<2_000_000_900_000_000)
    var transactions: [String: SandboxTransaction] = [:]
    /// The subscriptions by their original transaction ids.
    var chains: [String: SandboxChain] = [:]
    var receipts: [String: SandboxReceipt] = [:]
    /// Which receipt a token stands for.
    ///
    /// Every purchase gives a new token, as a device's receipt changes with every
    /// purchase; older tokens go on standing for the same receipt.
    var tokens: [String: String] = [:]
    /// The App Store's id of a user's copy of an app, by side, app and user.
    var appTransactionIDs: [String: String] = [:]
    /// What app servers told of consumption, oldest first.
    var consumptions: [SandboxConsumption] = []

    mutating func nextID() -> String {
        self.lastID += 1
        return String(self.lastID)
    }

    /// The id of a user's copy of an app, given out when it is first asked for.
    mutating func appTransactionID(for key: String) -> String {
        if let id = self.appTransactionIDs[key] { return id }
        let id = self.nextID()
        self.appTransactionIDs[key] = id
        return id
    }
}

extension SandboxState {
    /// The periods of a subscription, oldest first.
    ///
    /// Periods that began at one instant stand in the order in which they were made.
    func periods(of originalID: String) -> [SandboxTransaction] {
        self.transactions.values
            .filter { $0.originalID == originalID && $0.kind == .subscription }
            .sorted { ($0.purchasedAt, $0.lineItemID ?? "") < ($1.purchasedAt, $1.lineItemID ?? "") }
    }

    /// The transactions that go by a purchase token, oldest first.
    func transactions(ofPurchaseToken token: String) -> [SandboxTransaction] {
        self.transactions.values
            .filter { $0.purchaseToken == token }
            .sorted { ($0.purchasedAt, $0.lineItemID ?? "") < ($1.purchasedAt, $1.lineItemID ?? "") }
    }

    /// The user to whom a transaction belongs as RevenueCat sees it: transfers move subscriptions only there.
    func customer(of transaction: SandboxTransaction) -> String {
        self.chains[transaction.originalID]?.transferredTo ?? transaction.userID
    }
}

extension SandboxState: Codable {
    private enum CodingKeys: String, CodingKey {
        case offsetSeconds, lastID, transactions, chains, receipts, tokens, appTransactionIDs, consumptions
        /// Where earlier versions kept whether a subscription renews.
        case renewing
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.offsetSeconds = try values.decode(Int.self, forKey: .offsetSeconds)
        self.lastID = try values.decode(Int.self, forKey: .lastID)
        self.transactions = try values.decode([String: SandboxTransaction].self, forKey: .transactions)
        self.receipts = try values.decode([String: SandboxReceipt].self, forKey: .receipts)
        self.tokens = try values.decode([String: String].self, forKey: .tokens)
        self.appTransactionIDs =
            try values.decodeIfPresent([String: String].self, forKey: .appTransactionIDs) ?? [:]
        self.consumptions = try values.decodeIfPresent([SandboxConsumption].self, forKey: .consumptions) ?? []
        if let chains = try values.decodeIfPresent([String: SandboxChain].self, forKey: .chains) {
            self.chains = chains
        } else {
            let renewing = try values.decodeIfPresent([String: Bool].self, forKey: .renewing) ?? [:]
            self.chains = renewing.mapValues { SandboxChain(isRenewing: $0) }
        }
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(self.offsetSeconds, forKey: .offsetSeconds)
        try values.encode(self.lastID, forKey: .lastID)
        try values.encode(self.transactions, forKey: .transactions)
        try values.encode(self.chains, forKey: .chains)
        try values.encode(self.receipts, forKey: .receipts)
        try values.encode(self.tokens, forKey: .tokens)
        try values.encode(self.appTransactionIDs, forKey: .appTransactionIDs)
        try values.encode(self.consumptions, forKey: .consumptions)
    }
}
