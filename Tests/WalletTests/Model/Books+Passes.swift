import Foundation
import Wallet

/// One visit that an app consumed without a booking.
struct ModelPassUse: Hashable {
    var claim: Int
    var reference: String
}

/// The response to an app that consumes a visit.
struct ModelConsumption {
    var replayed: Bool
    var remaining: Int64
}

extension Books {
    /// Consumes one visit of a purchase, once per reference.
    ///
    /// A refusal changes nothing; not even due lapses are posted.
    mutating func consume(
        _ transactionID: String,
        _ reference: String,
        _ key: WalletKey
    ) -> Result<ModelConsumption, ModelRefusal> {
        guard let found = self.purchase(transactionID, usedBy: reference, key) else {
            return .failure(ModelRefusal(status: 404, slug: "purchase-not-found"))
        }
        let lots = self.claims[found].lots.map(\.lot).filter { self[key].lots[$0].unit == .visit }
        guard !lots.isEmpty else { return .failure(ModelRefusal(status: 409, slug: "purchase-without-visits")) }
        var changed = self
        changed.lock(key)
        let use = ModelPassUse(claim: found, reference: reference)
        let isKnown = self.passUses[use] != nil
        if !isKnown {
            let open = lots.filter { changed[key].lots[$0].remaining > 0 }.sorted(by: changed[key].burnOrder)
            guard let lot = open.first else {
                return .failure(ModelRefusal(status: 409, slug: "already-consumed", members: ["remaining": "0"]))
            }
            changed[key].spend([ModelSlice(lot: lot, amount: 1)], "spend", booking: nil, at: self.now)
            changed.passUses[use] = key.user
        }
        self = changed
        if self.claims[found].isListed { self.note("consumed of several products") }
        if lots.count > 1 { self.note("consumed of a bundle") }
        return .success(
            ModelConsumption(
                replayed: isKnown,
                remaining: lots.reduce(0) { $0 + self[key].lots[$1].remaining }
            )
        )
    }

    /// Returns the claim of a purchase: of several products, the one that the reference has used, else one with visits
    /// left, else one with visits.
    private func purchase(_ transactionID: String, usedBy reference: String, _ key: WalletKey) -> Int? {
        let found = self.claims.indices.filter {
            let claim = self.claims[$0]
            return claim.mergedInto == nil && claim.owner == key.user && claim.environment == key.environment
                && claim.transactionID == transactionID
        }
        let visits = found.filter { number in
            self.claims[number].lots.contains { self[$0.wallet].lots[$0.lot].unit == .visit }
        }
        let used = found.first { self.passUses[ModelPassUse(claim: $0, reference: reference)] != nil }
        let open = visits.first { number in
            self.claims[number].lots.contains {
                let lot = self[$0.wallet].lots[$0.lot]
                return lot.unit == .visit && lot.pays(at: self.now)
            }
        }
        return used ?? open ?? visits.first ?? found.first
    }
}
