import Foundation
import Wallet

/// How much of a wallet's lot pays; lots by their number in the model.
struct ModelSlice: Equatable {
    var lot: Int
    var amount: Int64
}

extension ModelWallet {
    /// Picks what pays an amount in burn order, and how much there is when that is not enough.
    func burn(
        _ amount: Int64,
        of unit: CreditUnit,
        only lot: Int? = nil,
        validAt instant: Date
    ) -> (slices: [ModelSlice], available: Int64) {
        var slices: [ModelSlice] = []
        var left = amount
        let payers = self.lots.indices.filter {
            self.lots[$0].unit == unit && self.lots[$0].pays(at: instant) && (lot == nil || lot == $0)
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

    /// Rule 21: into the very lots that paid; what returns to an expired lot lapses at once.
    ///
    /// Where the studio is the reason an expired lot opens first, once, for the days of grace of its product.
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
