import Foundation
import Wallet

/// An administrator's posting.
struct ModelAdjustment: Equatable {
    var key: WalletKey
    var unit: CreditUnit
    var amount: Int64
}

extension Books {
    /// Posts an adjustment once for its reference; a refusal leaves no trace, not even lapses.
    mutating func adjust(
        _ adjustment: ModelAdjustment,
        reference: String,
        expiresAt: Date?,
        reason: String
    ) -> ModelRefusal? {
        if reason.isEmpty { return ModelRefusal(status: 422, slug: "reason-required") }
        if adjustment.amount == 0 { return ModelRefusal(status: 422, slug: "amount-is-zero") }
        var changed = self
        changed.lock(adjustment.key)
        if let known = changed.adjustments[reference] {
            guard known == adjustment else { return ModelRefusal(status: 409, slug: "reference-reused") }
            self = changed
            return nil
        }
        if let refusal = changed.move(adjustment, expiresAt: expiresAt) { return refusal }
        changed.adjustments[reference] = adjustment
        self = changed
        return nil
    }

    private mutating func move(_ adjustment: ModelAdjustment, expiresAt: Date?) -> ModelRefusal? {
        let key = adjustment.key
        if adjustment.amount > 0 {
            let lot = ModelLot(unit: adjustment.unit, source: "adjustment", claim: nil, expiresAt: expiresAt)
            _ = self[key].open(lot, "adjust", amount: adjustment.amount, at: self.now)
            return nil
        }
        let amount = -adjustment.amount
        let (slices, available) = self[key].burn(amount, of: adjustment.unit, validAt: self.now)
        guard available == amount else {
            return ModelShortage.refusal([
                ModelShortage(unit: adjustment.unit, required: amount, available: available)
            ])
        }
        self[key].spend(slices, "adjust", booking: nil, at: self.now)
        return nil
    }

    /// Sets a production wallet to new balances by posting the differences.
    mutating func setWallet(_ user: Int, credits: Int64?, visits: Int64?, reason: String?) -> ModelRefusal? {
        let key = WalletKey(user: user, environment: .production)
        guard self.wallets[key] != nil else { return nil }
        var changed = self
        changed.lock(key)
        let wanted: [(CreditUnit, Int64?)] = [(.credit, credits), (.visit, visits)]
        if wanted.contains(where: { ($0.1 ?? 0) < 0 }) {
            return ModelRefusal(status: 422, slug: "balance-not-possible")
        }
        for (unit, balance) in wanted {
            let difference = (balance ?? changed[key].stored(unit)) - changed[key].stored(unit)
            guard difference != 0 else { continue }
            if (reason ?? "").isEmpty { return ModelRefusal(status: 422, slug: "reason-required") }
            let move = ModelAdjustment(key: key, unit: unit, amount: difference)
            if let refusal = changed.move(move, expiresAt: nil) { return refusal }
        }
        self = changed
        return nil
    }
}
