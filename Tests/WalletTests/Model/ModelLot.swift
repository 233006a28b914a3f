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
    /// The expiry; nil if the lot never expires.
    var expiresAt: Date?
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
    func isDue(at now: Date) -> Bool { self.remaining > 0 && self.isOver(at: now) }
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
