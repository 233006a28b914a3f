import Foundation
import Wallet

/// One grant, as rule 4 and rule 24 describe it.
struct ModelLot {
    /// The database's id, learnt after the grant; it only decides the order among lots of one expiry.
    var id: UUID?
    let unit: CreditUnit
    let source: String
    /// The number of the claim that paid for it.
    let claim: Int?
    /// nil for never.
    var expiresAt: Date?
    /// Set once: until when the lot was opened again after its time.
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

/// What one change does to a lot.
struct LotChange {
    var granted: Int64 = 0
    var spent: Int64 = 0
    var lapsed: Int64 = 0
    var refunded: Int64 = 0
    /// The change of what other lots of the wallet owe.
    var owedElsewhere: Int64 = 0
}

/// One line of the ledger; lots and bookings by their number in the model.
struct ModelEntry: Equatable {
    var kind: String
    var unit: CreditUnit?
    var amount: Int64
    var owedChange: Int64
    var balanceAfter: Int64
    var lot: Int?
    var booking: Int?
}
