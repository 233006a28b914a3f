import Foundation
import Wallet

/// An adjustment by an administrator or an operator; a gift has the source `promo`.
struct ModelAdjustment: Equatable {
    var key: WalletKey
    var unit: CreditUnit
    var amount: Int64
    var source = "adjustment"
}

/// An adjustment with everything that the operator enters.
struct ModelOperatorAdjustment: Equatable {
    var adjustment: ModelAdjustment
    var reference: String
    var expiresAt: Date?
    var reason: String
}

/// The response to an operator's adjustment.
struct ModelAdjusted {
    var replayed: Bool
    var key: WalletKey
    /// The lot that the adjustment opened, if its amount was positive.
    var lot: Int?
}

extension Books {
    /// Posts an adjustment once per reference.
    ///
    /// A refusal changes nothing; not even due lapses are posted.
    mutating func adjust(
        _ adjustment: ModelAdjustment,
        reference: String,
        expiresAt: Date?,
        reason: String
    ) -> ModelRefusal? {
        if reason.allSatisfy(\.isWhitespace) { return ModelRefusal(status: 422, slug: "reason-required") }
        if adjustment.amount == 0 { return ModelRefusal(status: 422, slug: "amount-is-zero") }
        if adjustment.source == "promo", adjustment.amount < 0 {
            return ModelRefusal(status: 422, slug: "gift-not-positive")
        }
        var changed = self
        changed.lock(adjustment.key)
        if let known = changed.adjustments[reference] {
            // A repetition with a different reason is a different adjustment, so it is refused.
            guard known == adjustment, changed.adjustmentReasons[reference] == reason else {
                return ModelRefusal(status: 409, slug: "reference-reused")
            }
            self = changed
            return nil
        }
        if adjustment.amount > 0, let expiresAt, expiresAt <= self.now {
            return ModelRefusal(status: 422, slug: "expiry-passed")
        }
        let lots = changed[adjustment.key].lots.count
        if let refusal = changed.move(adjustment, expiresAt: expiresAt) { return refusal }
        changed.adjustments[reference] = adjustment
        changed.adjustmentReasons[reference] = reason
        if adjustment.amount > 0 { changed.adjustmentLots[reference] = lots }
        self = changed
        return nil
    }

    /// Posts an operator's adjustment, once per key and once per reference.
    mutating func adjust(_ asked: ModelOperatorAdjustment, key: String) -> Result<ModelAdjusted, ModelRefusal> {
        var adjustment = asked.adjustment
        adjustment.key = self.root(adjustment.key)
        var answer = ModelAdjusted(replayed: true, key: adjustment.key)
        if let known = self.operatorRequests[key] {
            guard known == .adjust(asked) else {
                return .failure(ModelRefusal(status: 422, slug: "idempotency-key-reused"))
            }
        } else {
            answer.replayed = self.adjustments[asked.reference] != nil
            let refusal = self.adjust(
                adjustment,
                reference: asked.reference,
                expiresAt: asked.expiresAt,
                reason: asked.reason
            )
            if let refusal { return .failure(refusal) }
            self.operatorRequests[key] = .adjust(asked)
        }
        answer.lot = self.adjustmentLots[asked.reference]
        return .success(answer)
    }

    private mutating func move(_ adjustment: ModelAdjustment, expiresAt: Date?) -> ModelRefusal? {
        let key = adjustment.key
        if adjustment.amount > 0 {
            let lot = ModelLot(unit: adjustment.unit, source: adjustment.source, claim: nil, expiresAt: expiresAt)
            _ = self[key].open(lot, "adjust", amount: adjustment.amount, at: self.now)
            return nil
        }
        let amount = -adjustment.amount
        let (slices, available) = self[key].burn(amount, of: adjustment.unit, validAt: self.now, at: self.now)
        guard available == amount else {
            let members = [
                "unit": adjustment.unit.rawValue, "required": "\(amount)", "available": "\(available)",
                "needed": "\(amount - available)",
            ]
            return ModelRefusal(status: 409, slug: "balance-too-low", members: members)
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
            return ModelRefusal(status: 422, slug: "invalid-balance")
        }
        let wallet = changed[key]
        if wanted.contains(where: { ($0.1 ?? 0) > wallet.stored($0.0) && wallet.owed($0.0) > 0 }) {
            let owed = ["owed_credits": "\(wallet.owed(.credit))", "owed_visits": "\(wallet.owed(.visit))"]
            return ModelRefusal(status: 409, slug: "wallet-owes", members: owed)
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
