import Foundation

/// The state of the stores, as saved in the state file.
struct SandboxState: Codable, Sendable {
    /// The number of seconds by which the stores' clock is ahead of the machine's clock.
    var offsetSeconds = 0
    /// The last assigned id; transactions, orders and billing periods share the sequence.
    var lastID = Int.random(in: 2_000_000_100_000_000..<2_000_000_900_000_000)
    var transactions: [String: SandboxTransaction] = [:]
    /// The subscriptions by their original transaction ids.
    var chains: [String: SandboxSubscription] = [:]
    var receipts: [String: SandboxReceipt] = [:]
    /// The receipt of each token.
    ///
    /// Every purchase gives a new token, since a device's receipt changes with every purchase. Older tokens stay valid
    /// for the same receipt.
    var tokens: [String: String] = [:]
    /// The App Store's id of a user's copy of an app, by environment, app and user.
    var appTransactionIDs: [String: String] = [:]
    /// The app servers' consumption reports, oldest first.
    var consumptions: [SandboxConsumption] = []
    /// The app servers' answers to refund reviews, oldest first.
    var refundReviews: [SandboxConsumption]?

    /// Returns the periods of a subscription, oldest first.
    ///
    /// Periods with the same start are sorted in the order of their creation.
    func periods(of originalID: String) -> [SandboxTransaction] {
        self.transactions.values
            .filter { $0.originalID == originalID && $0.kind == .subscription }
            .sorted { ($0.purchasedAt, $0.lineItemID ?? "") < ($1.purchasedAt, $1.lineItemID ?? "") }
    }

    /// Returns the transactions of a purchase token, oldest first.
    func transactions(ofPurchaseToken token: String) -> [SandboxTransaction] {
        self.transactions.values
            .filter { $0.purchaseToken == token }
            .sorted { ($0.purchasedAt, $0.lineItemID ?? "") < ($1.purchasedAt, $1.lineItemID ?? "") }
    }

    /// Returns the owner of a transaction at RevenueCat; transfers affect subscriptions only there.
    func customer(of transaction: SandboxTransaction) -> String {
        self.chains[transaction.originalID]?.transferredTo ?? transaction.userID
    }

    /// Returns the id of a first purchase: a number at the App Store, `GPA.dddd-dddd-dddd-ddddd` at Google Play.
    mutating func nextTransactionID(of store: SandboxStore) -> String {
        let id = self.nextID()
        return store == .appStore ? id : Self.orderID(from: id)
    }

    private static func orderID(from id: String) -> String {
        let digits = Array(("3" + String(repeating: "0", count: 16)).dropLast(min(16, id.count)) + id.suffix(16))
        let groups = [digits[0..<4], digits[4..<8], digits[8..<12], digits[12..<17]]
        return "GPA." + groups.map { String($0) }.joined(separator: "-")
    }

    /// Returns the id of the period that follows a period.
    mutating func nextPeriodID(after period: SandboxTransaction, renewal: Int) -> String {
        switch period.store {
        case .appStore: self.nextID()
        case .googlePlay: "\(period.originalID)..\(renewal - 1)"
        }
    }

    mutating func nextID() -> String {
        self.lastID += 1
        return String(self.lastID)
    }

    /// Returns the id of a user's copy of an app, which is assigned on the first request.
    mutating func appTransactionID(for key: String) -> String {
        if let id = self.appTransactionIDs[key] { return id }
        let id = self.nextID()
        self.appTransactionIDs[key] = id
        return id
    }

    /// Returns a random purchase token in Google Play's format: long and URL-safe.
    static func newPurchaseToken() -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyz")
        let signs = letters + Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
        let head = (0..<24).compactMap { _ in letters.randomElement() }
        let tail = (0..<112).compactMap { _ in signs.randomElement() }
        return "\(String(head)).AO-J1O\(String(tail))"
    }
}

/// A receipt: its app and its transactions.
struct SandboxReceipt: Codable, Sendable {
    var environment: SandboxTransaction.Environment
    var bundleID: String
    var createdAt: Date
    var transactionIDs: [String]
}

/// An app server's report to the App Store about a purchase's consumption.
struct SandboxConsumption: Codable, Sendable {
    var transactionID: String
    var at: Date
    /// The body as sent.
    var body: String
}
