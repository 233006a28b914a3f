import Foundation

/// Everything that the stores remember, as it stands in the state file.
struct SandboxState: Codable, Sendable {
    /// How far the stores' clock is ahead of the machine's.
    var offsetSeconds = 0
    /// The last id given out; transactions and billing periods share the count.
    var lastID = Int.random(in: 2_000_000_100_000_000..<2_000_000_900_000_000)
    var transactions: [String: SandboxTransaction] = [:]
    /// By original transaction id: whether the subscription renews.
    var renewing: [String: Bool] = [:]
    var receipts: [String: SandboxReceipt] = [:]
    /// Which receipt a token stands for.
    ///
    /// Every purchase gives a new token, as a device's receipt changes with every
    /// purchase; older tokens go on standing for the same receipt.
    var tokens: [String: String] = [:]

    mutating func nextID() -> String {
        self.lastID += 1
        return String(self.lastID)
    }
}

/// One transaction that the stores made.
struct SandboxTransaction: Codable, Sendable {
    var id: String
    var originalID: String
    var userID: String
    var productID: String
    var kind: SandboxProduct.Kind
    var quantity: Int
    var environment: Environment
    var bundleID: String
    var purchasedAt: Date
    var originalPurchasedAt: Date
    var expiresAt: Date?
    var lineItemID: String?
    var isTrial: Bool
    var isFamilyShared: Bool
    var appAccountToken: String?
    var cancelledAt: Date?
    var isFinished: Bool

    /// The side of the store.
    enum Environment: String, Codable, Sendable {
        case production
        case sandbox
    }

    /// Whether the store still shows it: a refunded or finished consumable is gone, a refunded period stays, marked.
    var isShown: Bool {
        switch self.kind {
        case .subscription: true
        case .nonRenewing: self.cancelledAt == nil
        case .consumable: self.cancelledAt == nil && !self.isFinished
        }
    }
}

/// A receipt: which transactions of which app it shows.
struct SandboxReceipt: Codable, Sendable {
    var environment: SandboxTransaction.Environment
    var bundleID: String
    var createdAt: Date
    var transactionIDs: [String]
}
