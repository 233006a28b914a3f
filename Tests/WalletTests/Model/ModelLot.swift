import Foundation
import Wallet

/// One grant, as rules 4 and 24 describe it.
struct ModelLot {
    /// The database's id, set after the grant; it only decides the order among lots with the same expiry.
    var id: UUID?
    let unit: CreditUnit
    let source: String
    /// The number of the claim that paid for it.
    let claim: Int?
    /// The place in the bundle; 0 for the product's own amount.
    var item = 0
    /// The expiry; nil if the lot never expires.
    var expiresAt: Date?
    /// The start of the validity, or the latest start until the first use; nil if the purchase started it (rule 40).
    var startsAt: Date?
    /// A Boolean value that indicates whether a use, not the latest start, started the validity.
    var isStartedByUse = false
    /// The end of the reopened period, set once, if the lot was reopened after its expiry.
    var reopenedUntil: Date?
    var granted: Int64 = 0
    var spent: Int64 = 0
    var lapsed: Int64 = 0
    var refunded: Int64 = 0
    var repaid: Int64 = 0

    var remaining: Int64 { max(self.granted - self.refunded - self.spent - self.lapsed, 0) }
    var shortfall: Int64 { max(self.refunded + self.spent - self.granted, 0) }
    var owed: Int64 { self.shortfall - self.repaid }

    func isOver(at instant: Date) -> Bool { (self.expiresAt ?? .distantFuture) <= instant }
    func pays(at instant: Date) -> Bool { self.remaining > 0 && !self.isOver(at: instant) }
    /// A Boolean value that indicates whether the lot pays for a class at an instant if it is used now.
    func pays(at instant: Date, usedAt now: Date) -> Bool {
        var used = self
        used.start(at: now)
        return used.pays(at: instant)
    }
    func isDue(at now: Date) -> Bool { self.remaining > 0 && self.isOver(at: now) }
}

extension ModelLot {
    /// Starts the validity at the first use, unless it has started already.
    mutating func start(at now: Date) {
        guard let latest = self.startsAt, latest > now, let end = self.expiresAt else { return }
        self.expiresAt = now.addingTimeInterval(end.timeIntervalSince(latest))
        self.startsAt = now
        self.isStartedByUse = true
    }
}

/// The effect of one change on a lot.
struct LotChange {
    var granted: Int64 = 0
    var spent: Int64 = 0
    var lapsed: Int64 = 0
    var refunded: Int64 = 0
    /// The change in the debts of the wallet's other lots.
    var owedElsewhere: Int64 = 0
}

/// One entry of the ledger; lots and bookings are identified by their numbers in the model.
struct ModelEntry: Equatable {
    var kind: String
    var unit: CreditUnit?
    var amount: Int64
    var owedChange: Int64
    var balanceAfter: Int64
    var lot: Int?
    var booking: Int?
}
