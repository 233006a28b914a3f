import Foundation
import Hummingbird
import NIOCore

extension SandboxStores {
    private struct Refund: Decodable {
        let percentage: Int?
    }

    static let transactionSteps = [
        "refund", "refund-reverse", "revoke", "finish", "complete", "consumption-request", "refund-review",
    ]

    func addTransactionRoutes(to router: Router<SandboxContext>) {
        let transactions = router.group("sandbox/transactions/:id")
        transactions.get { _, context in
            let transaction = try await self.ledger.transaction(context.id)
            return try await self.answer(ControlOutcome(transaction: transaction, receipt: nil, happenings: []))
        }
        transactions.post("refund") { request, context in
            let percentage = try await request.options(Refund.self, context)?.percentage ?? 100
            guard (1...100).contains(percentage) else {
                throw ControlRefusal.member("percentage", "must be from 1 to 100", received: "\(percentage)")
            }
            return try await self.notify(self.ledger.refund(context.id, percentage: percentage))
        }
        transactions.post("refund-reverse") { _, context in
            try await self.notify(self.ledger.reverseRefund(context.id))
        }
        transactions.post("finish") { _, context in try await self.notify(self.ledger.finish(context.id)) }
        transactions.post("revoke") { _, context in try await self.notify(self.ledger.revoke(context.id)) }
        transactions.post("complete") { _, context in try await self.notify(self.ledger.complete(context.id)) }
        transactions.post("consumption-request") { _, context in
            try await self.notify(self.ledger.requestConsumption(context.id))
        }
        transactions.post("refund-review") { _, context in
            try await self.notify(self.ledger.reviewRefund(context.id))
        }
        transactions.post(":step") { _, context -> Response in
            throw ControlRefusal.unknownStep(try context.parameters.require("step"), known: Self.transactionSteps)
        }
    }
}

extension SandboxLedger {
    /// Refunds a transaction.
    /// - Parameters:
    ///   - id: The transaction.
    ///   - percentage: The total refunded share, 1 to 100. Earlier refunds are never reversed, so the same or a smaller
    ///     share changes nothing.
    /// - Returns: The transaction after the refund.
    /// - Throws: ``ControlRefusal`` for an unknown transaction.
    func refund(_ id: String, percentage: Int = 100) throws -> ControlOutcome {
        try self.actOnTransaction(id) { transaction, now in
            if transaction.isPending {
                transaction.abandonedAt = now
                return .pendingAbandoned
            }
            guard !transaction.isUndone, transaction.refundedShare < percentage * 10_000 else { return nil }
            transaction.cancelledAt = now
            transaction.refundedMillionths = percentage * 10_000
            return .refunded
        }
    }

    /// Reverses a refund.
    func reverseRefund(_ id: String) throws -> ControlOutcome {
        try self.actOnTransaction(id) { transaction, now in
            guard transaction.store == .appStore else {
                throw ControlRefusal.conflict("Google Play does not reverse refunds.")
            }
            guard transaction.refundedShare > 0 else { throw ControlRefusal.conflict("The purchase was not refunded.") }
            transaction.cancelledAt = nil
            transaction.refundedMillionths = nil
            transaction.refundReversedAt = now
            return .refundReversed
        }
    }

    /// Finishes a transaction, as the app does after the delivery.
    func finish(_ id: String) throws -> ControlOutcome {
        try self.actOnTransaction(id) { transaction, _ in
            transaction.isFinished = true
            return nil
        }
    }

    /// Revokes a transaction without a refund: family sharing ended, or the developer revoked it.
    func revoke(_ id: String) throws -> ControlOutcome {
        try self.actOnTransaction(id) { transaction, now in
            guard transaction.revokedAt == nil else { return nil }
            transaction.cancelledAt = now
            transaction.revokedAt = now
            return .revoked
        }
    }

    /// Requests the consumption of a purchase from the app server.
    func requestConsumption(_ id: String) throws -> ControlOutcome {
        try self.actOnTransaction(id) { transaction, _ in
            guard transaction.store == .appStore else {
                throw ControlRefusal.conflict("Google Play does not request consumption data.")
            }
            return .consumptionRequested
        }
    }

    /// Starts a refund review of an order, to which the app server may report the consumption.
    func reviewRefund(_ id: String) throws -> ControlOutcome {
        try self.actOnTransaction(id) { transaction, _ in
            guard transaction.store == .googlePlay else {
                throw ControlRefusal.conflict("Only Google Play supports refund reviews.")
            }
            transaction.refundReviewToken = SandboxState.newPurchaseToken()
            return .refundReviewed
        }
    }

    /// Pays a pending purchase.
    func complete(_ id: String) throws -> ControlOutcome {
        try self.actOnTransaction(id) { transaction, now in
            guard transaction.isPending, let since = transaction.pendingSince else {
                throw ControlRefusal.conflict("The purchase is not pending.")
            }
            transaction.expiresAt = transaction.expiresAt.map { $0 + now.timeIntervalSince(since) }
            transaction.pendingSince = nil
            transaction.purchasedAt = now
            return .pendingPaid
        }
    }
}
