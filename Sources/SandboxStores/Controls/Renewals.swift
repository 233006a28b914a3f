import Foundation

extension SandboxLedger {
    /// Adds the next period, from the end of the last one, or from now if that has passed.
    ///
    /// The renewal turns automatic renewal on, and restarts an ended subscription.
    func renew(_ originalID: String) throws -> ControlOutcome {
        try self.actOnChain(originalID) { state, chain, newest, now in
            let kind = Self.kindOfRenewal(of: chain)
            let start = kind == .recovered ? chain.recovery(of: newest, at: now) : max(newest.expiresAt ?? now, now)
            let wasTurnedOff = kind == .renewed && !chain.isRenewing
            var deed = try self.follow(newest, from: start, as: kind, in: &state, &chain, at: now)
            if wasTurnedOff { deed.steps.insert(Step(kind: .renewalTurnedOn, transaction: newest), at: 0) }
            return deed
        }
    }

    private static func kindOfRenewal(of chain: SandboxSubscription) -> SandboxEvent.Kind {
        if chain.expiredReason != nil { return .resubscribed }
        return chain.billingIssueSince == nil ? .renewed : .recovered
    }

    /// Creates the period that follows another one.
    func follow(
        _ newest: SandboxTransaction,
        from start: Date,
        as kind: SandboxEvent.Kind,
        in state: inout SandboxState,
        _ chain: inout SandboxSubscription,
        at now: Date
    ) throws -> Deed {
        let product = try self.product(chain.nextProductID ?? newest.productID)
        let isEnding = chain.isCommitmentEnding == true && !newest.endsCommitment
        chain.begin()
        var next = state.addPeriod(after: newest, of: product, from: start)
        next.renewedByStore = [.renewed, .recovered, .resumed].contains(kind)
        state.transactions[next.id] = next
        if isEnding, next.billingPeriod != nil {
            chain.isCommitmentEnding = true
            chain.isRenewing = !next.endsCommitment
            chain.renewalTurnedOffAt = next.endsCommitment ? now : nil
        }
        let receipt = next.store == .appStore ? state.showPeriod(next, after: newest, at: now) : nil
        return Deed(next, receipt: receipt, [Step(kind: kind, transaction: next, previous: newest)])
    }

    /// Collects the payment of a failed renewal.
    ///
    /// During the grace period, the new period begins at the end of the old one, afterwards it begins now.
    func recover(_ originalID: String) throws -> ControlOutcome {
        guard self.state.periods(of: originalID).isEmpty || self.state.chains[originalID]?.billingIssueSince != nil
        else {
            throw ControlRefusal.conflict("The subscription has no billing issue.")
        }
        return try self.renew(originalID)
    }
}

extension SandboxSubscription {
    /// Returns the start of a period that was paid late.
    fileprivate func recovery(of newest: SandboxTransaction, at now: Date) -> Date {
        guard let expiresAt = newest.expiresAt, self.isInGrace(at: now) || expiresAt > now else { return now }
        return expiresAt
    }
}

extension SandboxState {
    /// Adds a period of a subscription after another one.
    mutating func addPeriod(
        after newest: SandboxTransaction,
        of product: SandboxProduct,
        from start: Date
    ) -> SandboxTransaction {
        let renewal = (newest.renewalNumber ?? self.periods(of: newest.originalID).count - 1) + 1
        var next = newest.fresh
        next.id = self.nextPeriodID(after: newest, renewal: renewal)
        next.lineItemID = self.nextID()
        next.productID = product.id(at: newest.store)
        next.purchasedAt = start
        if let period = newest.billingPeriod, let periods = newest.billingPeriods {
            let isSame = next.productID == newest.productID
            next.billingPeriod = isSame ? period % periods + 1 : nil
            next.billingPeriods = isSame ? periods : nil
        }
        next.expiresAt = start + product.length(inParts: next.billingPeriods)
        next.renewalNumber = renewal
        self.transactions[next.id] = next
        return next
    }

    /// Adds a period to every receipt that contains the previous one.
    /// - Returns: A new token of the buyer's receipt.
    mutating func showPeriod(_ next: SandboxTransaction, after newest: SandboxTransaction, at now: Date) -> String {
        let keys = self.receipts.filter { $0.value.transactionIDs.contains(newest.id) }.keys
        for key in keys {
            self.add(next, toReceipt: key, at: now)
        }
        let key = keys.contains(next.receiptKey) ? next.receiptKey : keys.sorted().first ?? next.receiptKey
        return self.issueToken(for: key)
    }
}

extension SandboxTransaction {
    /// A copy of the sale without the changes of this transaction, such as refunds.
    fileprivate var fresh: SandboxTransaction {
        var fresh = self
        fresh.isTrial = false
        fresh.isFinished = false
        fresh.cancelledAt = nil
        fresh.refundedMillionths = nil
        fresh.refundReversedAt = nil
        fresh.revokedAt = nil
        fresh.upgradedAt = nil
        fresh.pendingSince = nil
        fresh.abandonedAt = nil
        return fresh
    }
}

extension SandboxLedger {
    /// Changes to a better product immediately.
    ///
    /// The App Store begins a new period under the same original id. Google Play ends the old subscription and creates
    /// a new one, whose purchase token links to the old token.
    func upgrade(_ originalID: String, to productID: String) throws -> ControlOutcome {
        let product = try self.subscriptionProduct(productID)
        return try self.actOnChain(originalID) { state, chain, newest, now in
            guard newest.productID != product.id(at: newest.store) else {
                throw ControlRefusal.conflict("The subscription already has this product.")
            }
            guard newest.purchasedAt <= now else { throw ControlRefusal.conflict("The newest period has not started.") }
            guard chain.expiredReason == nil else { throw ControlRefusal.conflict("The subscription has ended.") }
            switch newest.store {
            case .appStore: return try self.replace(newest, by: product, in: &state, &chain, at: now)
            case .googlePlay: return Self.replaceChain(of: newest, by: product, in: &state, &chain, at: now)
            }
        }
    }

    private func subscriptionProduct(_ id: String) throws -> SandboxProduct {
        let product = try self.product(id)
        guard product.kind == .subscription else { throw ControlRefusal.invalid("The product is not a subscription.") }
        return product
    }

    private func replace(
        _ newest: SandboxTransaction,
        by product: SandboxProduct,
        in state: inout SandboxState,
        _ chain: inout SandboxSubscription,
        at now: Date
    ) throws -> Deed {
        chain.nextProductID = product.id(at: newest.store)
        var deed = try self.follow(newest, from: now, as: .upgraded, in: &state, &chain, at: now)
        var replaced = newest
        replaced.upgradedAt = now
        state.transactions[replaced.id] = replaced
        deed.steps = [Step(kind: .upgraded, transaction: deed.transaction, previous: replaced)]
        return deed
    }

    private static func replaceChain(
        of newest: SandboxTransaction,
        by product: SandboxProduct,
        in state: inout SandboxState,
        _ chain: inout SandboxSubscription,
        at now: Date
    ) -> Deed {
        var replaced = newest
        replaced.upgradedAt = now
        replaced.expiresAt = min(newest.expiresAt ?? now, now)
        state.transactions[replaced.id] = replaced
        chain.end(.replaced, at: now)
        var next = state.newPlayPurchase(after: newest, of: product, at: now)
        next.linkedPurchaseToken = newest.purchaseToken
        state.transactions[next.id] = next
        state.chains[next.id] = SandboxSubscription(
            purchaseToken: next.purchaseToken,
            linkedPurchaseToken: next.linkedPurchaseToken,
            transferredTo: chain.transferredTo
        )
        return Deed(next, [Step(kind: .upgraded, transaction: next, previous: replaced)])
    }

    /// Changes to another product at the end of the current period; the current product reverts an earlier change.
    func downgrade(_ originalID: String, to productID: String) throws -> ControlOutcome {
        let product = try self.subscriptionProduct(productID)
        return try self.actOnChain(originalID) { _, chain, newest, _ in
            guard chain.expiredReason == nil else { throw ControlRefusal.conflict("The subscription has ended.") }
            let next = newest.productID == product.id(at: newest.store) ? nil : product.id(at: newest.store)
            guard next != chain.nextProductID else { return Deed(newest) }
            chain.nextProductID = next
            return Deed(newest, .downgradePlanned)
        }
    }
}

extension SandboxState {
    /// Creates a Google Play purchase that begins a new subscription after another one; the caller stores it.
    mutating func newPlayPurchase(
        after newest: SandboxTransaction,
        of product: SandboxProduct,
        at now: Date
    ) -> SandboxTransaction {
        var next = self.addPeriod(after: newest, of: product, from: now)
        self.transactions[next.id] = nil
        next.id = self.nextTransactionID(of: .googlePlay)
        next.originalID = next.id
        next.originalPurchasedAt = now
        next.renewalNumber = 0
        next.acknowledgedAt = nil
        next.purchaseToken = SandboxState.newPurchaseToken()
        return next
    }
}
