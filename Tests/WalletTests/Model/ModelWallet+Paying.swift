import Foundation
import Wallet

/// The amount that one lot pays; the lot is identified by its number in the model.
struct ModelSlice: Equatable {
    var lot: Int
    var amount: Int64
}

extension ModelWallet {
    /// Selects lots for an amount in burn order, and returns how much is available if that is not enough.
    func burn(
        _ amount: Int64,
        of unit: CreditUnit,
        only lot: Int? = nil,
        validAt instant: Date,
        at now: Date
    ) -> (slices: [ModelSlice], available: Int64) {
        var slices: [ModelSlice] = []
        var left = amount
        let payers = self.lots.indices.filter {
            self.lots[$0].unit == unit && self.lots[$0].pays(at: instant, usedAt: now) && (lot == nil || lot == $0)
        }
        for payer in payers.sorted(by: self.burnOrder) where left > 0 {
            let share = min(self.lots[payer].remaining, left)
            slices.append(ModelSlice(lot: payer, amount: share))
            left -= share
        }
        return (slices, amount - left)
    }

    mutating func spend(_ slices: [ModelSlice], _ kind: String, booking: Int?, at now: Date) {
        for slice in slices {
            self.change(slice.lot, kind, LotChange(spent: slice.amount), booking: booking, at: now)
        }
    }

    /// Returns slices to the lots that paid them (rule 21); an amount that returns to an expired lot lapses at once.
    ///
    /// If the studio caused the return, an expired lot is reopened first, once, for its product's days of grace.
    mutating func putBack(_ slices: [ModelSlice], booking: Int, at now: Date, reopenedUntil ends: [Date]?) {
        for (place, slice) in slices.enumerated() {
            if let ends, self.lots[slice.lot].isOver(at: now), self.lots[slice.lot].reopenedUntil == nil {
                self.reopen(slice.lot, until: ends[place])
            }
            self.change(slice.lot, "return", LotChange(spent: -slice.amount), booking: booking, at: now)
            self.lapse(slice.lot, booking: booking, at: now)
        }
    }
}
