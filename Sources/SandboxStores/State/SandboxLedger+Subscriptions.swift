import Foundation

extension SandboxLedger {
    /// Turns renewal off; the current period runs to its end, and a commitment is billed for all of its periods.
    func cancel(_ originalID: String) throws -> ControlOutcome {
        try self.actOnChain(originalID) { _, chain, newest, now in
            guard chain.isRenewing, chain.isCommitmentEnding != true else { return Deed(newest) }
            if newest.billingPeriod != nil { chain.isCommitmentEnding = true }
            chain.isRenewing = !newest.endsCommitment
            chain.renewalTurnedOffAt = now
            return Deed(newest, .renewalTurnedOff)
        }
    }

    /// Turns renewal on again.
    func uncancel(_ originalID: String) throws -> ControlOutcome {
        try self.actOnChain(originalID) { _, chain, newest, _ in
            guard chain.expiredReason == nil else { throw ControlRefusal.conflict("The subscription has ended.") }
            guard !chain.isRenewing || chain.isCommitmentEnding == true else { return Deed(newest) }
            chain.isRenewing = true
            chain.isCommitmentEnding = nil
            chain.renewalTurnedOffAt = nil
            return Deed(newest, .renewalTurnedOn)
        }
    }

    /// Lets the payment of a renewal fail.
    /// - Parameters:
    ///   - originalID: The subscription.
    ///   - graceDays: The length of the grace period in days, from the end of the paid period, or from now if that has
    ///     passed; nil for no grace period.
    /// - Returns: The newest period.
    /// - Throws: ``ControlRefusal`` for an unknown or ended subscription.
    func failBilling(_ originalID: String, graceDays: Int?) throws -> ControlOutcome {
        try self.actOnChain(originalID) { _, chain, newest, now in
            guard chain.expiredReason == nil else { throw ControlRefusal.conflict("The subscription has ended.") }
            chain.billingIssueSince = chain.billingIssueSince ?? now
            chain.hasReportedGraceEnd = nil
            chain.graceEndsAt = graceDays.map { max(newest.expiresAt ?? now, now) + Double($0) * 86_400 }
            return Deed(newest, .billingIssue)
        }
    }

    /// Ends the grace period; the store still tries to collect the payment.
    func endGrace(_ originalID: String) throws -> ControlOutcome {
        try self.actOnChain(originalID) { _, chain, newest, now in
            guard chain.billingIssueSince != nil, let graceEndsAt = chain.graceEndsAt else {
                throw ControlRefusal.conflict("The subscription is not in a grace period.")
            }
            chain.graceEndsAt = min(graceEndsAt, now)
            chain.hasReportedGraceEnd = true
            return Deed(newest, .graceEnded)
        }
    }

    /// Ends the subscription: its current period ends now, and renewal is turned off.
    ///
    /// The reason is a billing issue or a pause if there is one, otherwise the subscriber's decision.
    func expire(_ originalID: String) throws -> ControlOutcome {
        try self.actOnChain(originalID) { state, chain, newest, now in
            guard newest.purchasedAt < now else { throw ControlRefusal.conflict("The newest period has not started.") }
            var steps: [Step] = []
            var ended = newest
            ended.expiresAt = min(newest.expiresAt ?? now, now)
            state.transactions[ended.id] = ended
            if chain.isInGrace(at: now) {
                chain.graceEndsAt = now
                steps.append(Step(kind: .graceEnded, transaction: ended))
            }
            chain.end(chain.reasonToEnd, at: ended.expiresAt ?? now)
            return Deed(ended, steps + [Step(kind: .expired, transaction: ended)])
        }
    }

    /// Lets the subscriber buy an ended subscription again in the store, without an account from an app; Google Play
    /// only.
    func resubscribe(_ originalID: String) throws -> ControlOutcome {
        try self.actOnChain(originalID) { state, chain, newest, now in
            guard newest.store == .googlePlay else {
                throw ControlRefusal.conflict("Only Google Play supports resubscribing outside the app.")
            }
            guard chain.expiredReason != nil else {
                throw ControlRefusal.conflict("The subscription is still running.")
            }
            let product = try self.product(newest.productID)
            var next = state.newPlayPurchase(after: newest, of: product, at: now)
            next.linkedPurchaseToken = nil
            next.expiredPurchaseToken = newest.purchaseToken
            next.expiredAccountToken = newest.appAccountToken ?? newest.expiredAccountToken
            next.appAccountToken = nil
            state.transactions[next.id] = next
            state.chains[next.id] = SandboxSubscription(purchaseToken: next.purchaseToken)
            return Deed(next, [Step(kind: .purchased, transaction: next, previous: newest)])
        }
    }

    /// Transfers a subscription to another user; only RevenueCat has such transfers.
    func transfer(_ originalID: String, to userID: String) throws -> ControlOutcome {
        try self.actOnChain(originalID) { _, chain, newest, _ in
            let from = chain.transferredTo ?? newest.userID
            guard from != userID else { return Deed(newest) }
            chain.transferredTo = userID
            return Deed(newest, .transferred(from: from, to: userID))
        }
    }
}

extension SandboxSubscription {
    fileprivate var reasonToEnd: ExpiredReason {
        if self.billingIssueSince != nil { return .billing }
        return self.pausedAt == nil ? .voluntary : .paused
    }

    mutating func end(_ reason: ExpiredReason, at now: Date) {
        self.isRenewing = false
        self.expiredReason = reason
        self.expiredAt = now
    }
}
