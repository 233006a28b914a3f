import Foundation

extension SandboxLedger {
    /// Refunds a transaction in full; a second time changes nothing.
    func refund(_ id: String) throws -> SandboxTransaction {
        var transaction = try self.transaction(id)
        guard transaction.cancelledAt == nil else { return transaction }
        transaction.cancelledAt = self.now
        return try self.keep(transaction)
    }

    /// Finishes a transaction as the app does after delivering what was bought.
    func finish(_ id: String) throws -> SandboxTransaction {
        var transaction = try self.transaction(id)
        transaction.isFinished = true
        return try self.keep(transaction)
    }

    /// Adds the next period, from the end of the last one, or from now where that end has passed.
    func renew(_ originalID: String) throws -> (transaction: SandboxTransaction, receipt: String) {
        let newest = try self.newestPeriod(of: originalID)
        let product = try self.product(newest.productID)
        let now = self.now
        let start = max(newest.expiresAt ?? now, now)
        return try self.change { state in
            var next = newest
            next.id = state.nextID()
            next.lineItemID = state.nextID()
            next.purchasedAt = start
            next.expiresAt = start + Double(product.periodSeconds)
            next.isTrial = false
            next.cancelledAt = nil
            next.isFinished = false
            state.transactions[next.id] = next
            state.renewing[originalID] = true
            let keys = state.receipts.filter { $0.value.transactionIDs.contains(newest.id) }.keys
            for key in keys {
                state.add(next, toReceipt: key, at: now)
            }
            let key = keys.contains(next.receiptKey) ? next.receiptKey : keys.sorted().first ?? next.receiptKey
            return (next, state.issueToken(for: key))
        }
    }

    /// Turns renewal off; the running period goes on to its end.
    func cancel(_ originalID: String) throws -> SandboxTransaction {
        let newest = try self.newestPeriod(of: originalID)
        try self.change { $0.renewing[originalID] = false }
        return newest
    }

    /// Ends the running period now, with renewal turned off.
    func expire(_ originalID: String) throws -> SandboxTransaction {
        var newest = try self.newestPeriod(of: originalID)
        let now = self.now
        guard newest.purchasedAt < now else {
            throw ControlRefusal.conflict("the newest period has not begun")
        }
        newest.expiresAt = min(newest.expiresAt ?? now, now)
        try self.change { $0.renewing[originalID] = false }
        return try self.keep(newest)
    }

    private func keep(_ transaction: SandboxTransaction) throws -> SandboxTransaction {
        try self.change { $0.transactions[transaction.id] = transaction }
        return transaction
    }

    private func newestPeriod(of originalID: String) throws -> SandboxTransaction {
        let periods = self.state.transactions.values.filter { $0.originalID == originalID && $0.kind == .subscription }
        guard let newest = periods.max(by: { $0.purchasedAt < $1.purchasedAt }) else {
            throw ControlRefusal.notFound("subscription")
        }
        return newest
    }
}
