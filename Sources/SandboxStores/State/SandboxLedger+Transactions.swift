import Foundation

extension SandboxLedger {
    /// Refunds a transaction.
    /// - Parameters:
    ///   - id: the transaction.
    ///   - percentage: how much of it in total, 1 to 100; what was refunded before is never taken back, so the same
    ///     or a smaller share changes nothing.
    /// - Returns: the transaction as it is then.
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

    /// Gives back what a refund took.
    func reverseRefund(_ id: String) throws -> ControlOutcome {
        try self.actOnTransaction(id) { transaction, now in
            guard transaction.store == .appStore else {
                throw ControlRefusal.conflict("Google Play reverses no refunds.")
            }
            guard transaction.refundedShare > 0 else { throw ControlRefusal.conflict("Nothing of it was refunded.") }
            transaction.cancelledAt = nil
            transaction.refundedMillionths = nil
            transaction.refundReversedAt = now
            return .refundReversed
        }
    }

    /// Finishes a transaction as the app does after delivering what was bought.
    func finish(_ id: String) throws -> ControlOutcome {
        try self.actOnTransaction(id) { transaction, _ in
            transaction.isFinished = true
            return nil
        }
    }

    /// Takes a transaction back without money: a family member loses it, or the developer revokes it.
    func revoke(_ id: String) throws -> ControlOutcome {
        try self.actOnTransaction(id) { transaction, now in
            guard transaction.revokedAt == nil else { return nil }
            transaction.cancelledAt = now
            transaction.revokedAt = now
            return .revoked
        }
    }

    /// Asks the app server how much of a purchase was used.
    func requestConsumption(_ id: String) throws -> ControlOutcome {
        try self.actOnTransaction(id) { transaction, _ in
            guard transaction.store == .appStore else {
                throw ControlRefusal.conflict("Google Play asks for no consumption.")
            }
            return .consumptionRequested
        }
    }

    /// Reviews a refund of an order, about which the app server may say how much was used.
    func reviewRefund(_ id: String) throws -> ControlOutcome {
        try self.actOnTransaction(id) { transaction, _ in
            guard transaction.store == .googlePlay else {
                throw ControlRefusal.conflict("Only Google Play reviews refunds.")
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
