import Foundation
import Hummingbird

extension SandboxStores {
    private struct BillingIssue: Decodable {
        let graceDays: Int?
    }

    private struct Pause: Decodable {
        let resumeDays: Int?
    }

    private struct ProductChange: Decodable {
        let productId: String
        let mode: String
    }

    private struct Transfer: Decodable {
        let toUserId: String
    }

    static let subscriptionSteps = [
        "renew", "cancel", "uncancel", "billing-issue", "end-grace", "recover", "expire", "pause", "resume",
        "change-product", "transfer", "resubscribe",
    ]

    func addSubscriptionRoutes(to router: Router<SandboxContext>) {
        let group = router.group("sandbox/subscriptions/:id").add(middleware: CatalogueMiddleware(ledger: self.ledger))
        group.post("renew") { _, context in try await self.notify(self.ledger.renew(context.id)) }
        group.post("cancel") { _, context in try await self.notify(self.ledger.cancel(context.id)) }
        group.post("uncancel") { _, context in try await self.notify(self.ledger.uncancel(context.id)) }
        group.post("recover") { _, context in try await self.notify(self.ledger.recover(context.id)) }
        group.post("end-grace") { _, context in try await self.notify(self.ledger.endGrace(context.id)) }
        group.post("expire") { _, context in try await self.notify(self.ledger.expire(context.id)) }
        group.post("resubscribe") { _, context in try await self.notify(self.ledger.resubscribe(context.id)) }
        group.post("resume") { _, context in try await self.notify(self.ledger.resume(context.id)) }
        self.addSubscriptionRoutesWithBodies(to: group)
        group.post(":step") { _, context -> Response in
            throw ControlRefusal.unknownStep(try context.parameters.require("step"), known: Self.subscriptionSteps)
        }
    }

    private func addSubscriptionRoutesWithBodies(to group: RouterGroup<SandboxContext>) {
        group.post("billing-issue") { request, context in
            let days = try await request.options(BillingIssue.self, context)?.graceDays
            try Self.check(days, "grace_days")
            return try await self.notify(self.ledger.failBilling(context.id, graceDays: days))
        }
        group.post("pause") { request, context in
            let days = try await request.options(Pause.self, context)?.resumeDays
            try Self.check(days, "resume_days")
            return try await self.notify(self.ledger.pause(context.id, days: days))
        }
        group.post("change-product") { request, context in
            let change = try await request.control(ProductChange.self, context)
            switch change.mode {
            case "upgrade": return try await self.notify(self.ledger.upgrade(context.id, to: change.productId))
            case "downgrade": return try await self.notify(self.ledger.downgrade(context.id, to: change.productId))
            default: throw ControlRefusal.member("mode", "must be upgrade or downgrade", received: change.mode)
            }
        }
        group.post("transfer") { request, context in
            let transfer = try await request.control(Transfer.self, context)
            guard !transfer.toUserId.isEmpty else {
                throw ControlRefusal.invalid("The member \"to_user_id\" must not be empty.")
            }
            return try await self.notify(self.ledger.transfer(context.id, to: transfer.toUserId))
        }
    }

    private static func check(_ days: Int?, _ name: String) throws {
        guard let days, !(1...366).contains(days) else { return }
        throw ControlRefusal.member(name, "must be from 1 to 366", received: "\(days)")
    }
}

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

    /// Pauses a Google Play subscription from the end of the paid period, or from now if that has passed.
    /// - Parameters:
    ///   - originalID: The subscription.
    ///   - days: The number of days after which it resumes automatically; nil for an open end.
    /// - Returns: The newest period.
    /// - Throws: ``ControlRefusal`` for an App Store subscription, which cannot be paused, or an ended one.
    func pause(_ originalID: String, days: Int?) throws -> ControlOutcome {
        try self.actOnChain(originalID) { _, chain, newest, now in
            guard newest.store == .googlePlay else {
                throw ControlRefusal.conflict("The App Store does not support pauses.")
            }
            guard chain.expiredReason == nil else { throw ControlRefusal.conflict("The subscription has ended.") }
            let start = chain.pausedAt ?? max(newest.expiresAt ?? now, now)
            chain.pausedAt = start
            if let days { chain.resumesAt = start + Double(days) * 86_400 }
            chain.hasReportedPause = start <= now
            return Deed(newest, start > now ? .pausePlanned : .paused)
        }
    }

    /// Ends a pause with a new period; cancels a pause that has not begun.
    func resume(_ originalID: String) throws -> ControlOutcome {
        try self.actOnChain(originalID) { state, chain, newest, now in
            guard let pausedAt = chain.pausedAt else {
                throw ControlRefusal.conflict("The subscription is not paused.")
            }
            guard pausedAt <= now else {
                chain.pausedAt = nil
                chain.resumesAt = nil
                chain.hasReportedPause = nil
                return Deed(newest, .pauseCalledOff)
            }
            return try self.follow(newest, from: now, as: .resumed, in: &state, &chain, at: now)
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
