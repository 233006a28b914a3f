import Foundation

extension SandboxLedger {
    /// Buys a product.
    /// - Parameter purchase: The buyer, the product and the options.
    /// - Returns: The transaction and, at the App Store, a receipt that contains it.
    /// - Throws: ``ControlRefusal`` for an unknown product or a subscription that is still running.
    func buy(_ purchase: Purchase) throws -> ControlOutcome {
        let product = try self.product(purchase.productID)
        guard !purchase.isBilledMonthly || product.kind == .subscription else {
            throw ControlRefusal.invalid("Only a subscription can be billed monthly.")
        }
        let further = try purchase.furtherProductIDs.map { id in
            let further = try self.product(id)
            guard (further.kind == .subscription) == (product.kind == .subscription) else {
                throw ControlRefusal.invalid("A purchase cannot combine subscriptions with other products.")
            }
            return further.id(at: purchase.store)
        }
        return try self.act { state, now in
            let earlier = try Self.endedPeriod(of: product, for: purchase, in: state, at: now)
            let id = state.nextTransactionID(of: purchase.store)
            var transaction = SandboxTransaction(id: id, of: product, purchase, at: now)
            transaction.appTransactionID =
                purchase.store == .appStore ? state.appTransactionID(for: transaction.receiptKey) : nil
            transaction.furtherProductIDs = further.isEmpty ? nil : further
            if let earlier { transaction.continueChain(of: earlier) }
            if product.kind == .subscription { state.beginChain(of: &transaction) }
            state.transactions[transaction.id] = transaction
            var step = Step(kind: Self.kind(of: transaction, after: earlier), transaction: transaction)
            step.previous = earlier
            return Deed(transaction, receipt: state.receipt(of: transaction, purchase, at: now), [step])
        }
    }

    /// Creates a separate receipt from transactions, which may belong to several users.
    func makeReceipt(of ids: [String]) throws -> String {
        let transactions = try ids.map(self.transaction)
        guard let first = transactions.first else {
            throw ControlRefusal.invalid("The member \"transaction_ids\" must not be empty.")
        }
        guard transactions.allSatisfy({ $0.environment == first.environment && $0.bundleID == first.bundleID }) else {
            throw ControlRefusal.invalid("All transactions of a receipt must have the same app and environment.")
        }
        guard transactions.allSatisfy({ $0.store == .appStore }) else {
            throw ControlRefusal.invalid("Only the App Store issues receipts.")
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

    private static func kind(
        of transaction: SandboxTransaction,
        after earlier: SandboxTransaction?
    ) -> SandboxEvent.Kind {
        if transaction.isPending { return .purchasePending }
        return earlier == nil ? .purchased : .resubscribed
    }

    /// Returns the newest period of the ended subscription that a purchase continues.
    ///
    /// At Google Play, every purchase creates a new subscription.
    private static func endedPeriod(
        of product: SandboxProduct,
        for purchase: Purchase,
        in state: SandboxState,
        at now: Date
    ) throws -> SandboxTransaction? {
        guard product.kind == .subscription else { return nil }
        let known = state.transactions.values
            .filter { $0.userID == purchase.userID && $0.productID == product.id(at: purchase.store) }
            .filter { $0.environment == purchase.environment && $0.bundleID == purchase.bundleID }
            .filter { $0.store == purchase.store && $0.abandonedAt == nil }
            .max { ($0.purchasedAt, $0.lineItemID ?? "") < ($1.purchasedAt, $1.lineItemID ?? "") }
        guard let known, let newest = state.periods(of: known.originalID).last else { return nil }
        if let expiresAt = newest.expiresAt, !newest.isUndone, expiresAt > now {
            throw ControlRefusal.conflict("This user's subscription \(newest.originalID) is still running.")
        }
        return purchase.store == .appStore ? newest : nil
    }
}

extension SandboxState {
    /// Starts the chain of a subscription's first period, or of the first period after its end.
    fileprivate mutating func beginChain(of transaction: inout SandboxTransaction) {
        transaction.lineItemID = self.nextID()
        var chain = self.chains[transaction.originalID] ?? SandboxSubscription()
        chain.begin()
        chain.purchaseToken = transaction.purchaseToken
        self.chains[transaction.originalID] = chain
    }

    fileprivate mutating func receipt(
        of transaction: SandboxTransaction,
        _ purchase: Purchase,
        at now: Date
    ) -> String? {
        guard transaction.store == .appStore else { return nil }
        let key = purchase.isSeparate ? "single:\(transaction.id)" : transaction.receiptKey
        self.add(transaction, toReceipt: key, at: now)
        return self.issueToken(for: key)
    }

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

    /// Returns a new token for a receipt: random bytes after a fixed prefix, in base64.
    mutating func issueToken(for key: String) -> String {
        var bytes = Data("sandbox-store-receipt:".utf8)
        bytes.append(contentsOf: (0..<48).map { _ in UInt8.random(in: .min ... .max) })
        let token = bytes.base64EncodedString()
        self.tokens[token] = key
        return token
    }
}
