import Foundation

extension SandboxLedger {
    /// Buys a product.
    /// - Parameter purchase: who buys what, and how.
    /// - Returns: the transaction and a receipt that shows it.
    /// - Throws: ``ControlRefusal`` for an unknown product or a subscription that is still running.
    func buy(_ purchase: Purchase) throws -> (transaction: SandboxTransaction, receipt: String) {
        let product = try self.product(purchase.productID)
        let now = self.now
        return try self.change { state in
            let chain = Self.chain(of: product, for: purchase, in: state)
            if let newest = chain, let expiresAt = newest.expiresAt, newest.cancelledAt == nil, expiresAt > now {
                throw ControlRefusal.conflict("this user's subscription \(newest.originalID) is still running")
            }
            var transaction = SandboxTransaction(id: state.nextID(), of: product, purchase, at: now)
            if let chain { transaction.continueChain(of: chain) }
            if product.kind == .subscription {
                transaction.lineItemID = state.nextID()
                state.renewing[transaction.originalID] = true
            }
            state.transactions[transaction.id] = transaction
            let key = purchase.isSeparate ? "single:\(transaction.id)" : transaction.receiptKey
            state.add(transaction, toReceipt: key, at: now)
            return (transaction, state.issueToken(for: key))
        }
    }

    /// Makes a receipt of its own out of transactions that may be several users'.
    func makeReceipt(of ids: [String]) throws -> String {
        let transactions = try ids.map(self.transaction)
        guard let first = transactions.first else { throw ControlRefusal.invalid("transaction_ids is empty") }
        guard transactions.allSatisfy({ $0.environment == first.environment && $0.bundleID == first.bundleID }) else {
            throw ControlRefusal.invalid("a receipt is of one app and one environment")
        }
        let now = self.now
        return try self.change { state in
            let key = "made:\(state.nextID())"
            for transaction in transactions {
                state.add(transaction, toReceipt: key, at: now)
            }
            return state.issueToken(for: key)
        }
    }

    /// The newest period of the subscription that a purchase goes on with.
    private static func chain(
        of product: SandboxProduct,
        for purchase: Purchase,
        in state: SandboxState
    ) -> SandboxTransaction? {
        guard product.kind == .subscription else { return nil }
        return state.transactions.values
            .filter { $0.userID == purchase.userID && $0.productID == product.storeProductID }
            .filter { $0.environment == purchase.environment && $0.bundleID == purchase.bundleID }
            .max { $0.purchasedAt < $1.purchasedAt }
    }
}

/// Who buys what, and how.
struct Purchase: Sendable {
    var userID: String
    var productID: String
    var quantity: Int
    var environment: SandboxTransaction.Environment
    var bundleID: String
    var isTrial: Bool
    var isFamilyShared: Bool
    var appAccountToken: String?
    /// A receipt of its own instead of the user's.
    var isSeparate: Bool
}

extension SandboxTransaction {
    init(id: String, of product: SandboxProduct, _ purchase: Purchase, at now: Date) {
        self.id = id
        self.originalID = id
        self.userID = purchase.userID
        self.productID = product.storeProductID
        self.kind = product.kind
        self.quantity = purchase.quantity
        self.environment = purchase.environment
        self.bundleID = purchase.bundleID
        self.purchasedAt = now
        self.originalPurchasedAt = now
        self.expiresAt = product.kind == .subscription ? now + Double(product.periodSeconds) : nil
        self.isTrial = purchase.isTrial
        self.isFamilyShared = purchase.isFamilyShared
        self.appAccountToken = purchase.appAccountToken
        self.isFinished = false
    }

    mutating func continueChain(of earlier: SandboxTransaction) {
        self.originalID = earlier.originalID
        self.originalPurchasedAt = earlier.originalPurchasedAt
    }

    /// The receipt of the device that bought this.
    var receiptKey: String { "\(self.environment.rawValue):\(self.bundleID):\(self.userID)" }
}

extension SandboxState {
    mutating func add(_ transaction: SandboxTransaction, toReceipt key: String, at now: Date) {
        let empty = SandboxReceipt(
            environment: transaction.environment,
            bundleID: transaction.bundleID,
            createdAt: now,
            transactionIDs: []
        )
        self.receipts[key, default: empty].transactionIDs.append(transaction.id)
        self.receipts[key]?.createdAt = now
    }

    /// Gives out a new token for a receipt: random bytes behind a fixed word, in base64.
    mutating func issueToken(for key: String) -> String {
        var bytes = Data("sandbox-store-receipt:".utf8)
        bytes.append(contentsOf: (0..<48).map { _ in UInt8.random(in: .min ... .max) })
        let token = bytes.base64EncodedString()
        self.tokens[token] = key
        return token
    }
}
