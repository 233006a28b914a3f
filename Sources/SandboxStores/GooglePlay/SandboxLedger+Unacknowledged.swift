import Foundation

extension SandboxLedger {
    /// Refunds purchases that were not acknowledged within three days, as Google Play does.
    /// - Returns: The events, oldest purchase first.
    /// - Throws: An error if the state cannot be saved.
    func refundUnacknowledged() throws -> [SandboxEvent] {
        let now = self.now
        let overdue = self.state.transactions.values
            .filter { $0.isOverdue(at: now) }
            .sorted { ($0.purchasedAt, $0.id) < ($1.purchasedAt, $1.id) }
        return try overdue.flatMap { try self.refund($0.id).happenings }
    }
}

extension SandboxTransaction {
    static let acknowledgementPeriod = 3 * 86_400.0

    /// Returns `true` for a paid purchase that was neither refunded nor acknowledged in time; of a subscription, only
    /// the first period.
    fileprivate func isOverdue(at now: Date) -> Bool {
        guard self.store == .googlePlay, self.pendingSince == nil, self.cancelledAt == nil else { return false }
        guard self.acknowledgedAt == nil, self.consumedAt == nil, (self.renewalNumber ?? 0) == 0 else { return false }
        return self.purchasedAt + Self.acknowledgementPeriod <= now
    }

    /// A Boolean value that indicates whether the purchase was refunded because it was not acknowledged.
    var isVoidedUnacknowledged: Bool {
        guard let cancelledAt = self.cancelledAt, self.acknowledgedAt == nil, self.consumedAt == nil else {
            return false
        }
        return (self.renewalNumber ?? 0) == 0 && self.purchasedAt + Self.acknowledgementPeriod <= cancelledAt
    }
}
