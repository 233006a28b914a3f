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
        let found = self.claims.firstIndex {
            $0.mergedInto == nil && $0.owner == key.user && $0.environment == key.environment
                && $0.transactionID == transactionID
        }
        guard let found else { return .failure(ModelRefusal(status: 404, slug: "purchase-not-found")) }
        guard let lot = self.claims[found].lot, self[lot.wallet].lots[lot.lot].unit == .visit else {
            return .failure(ModelRefusal(status: 409, slug: "not-a-pass"))
        }
        var changed = self
        changed.lock(key)
        let use = ModelPassUse(claim: found, reference: reference)
        let isKnown = self.passUses[use] != nil
        if !isKnown {
            guard changed[key].lots[lot.lot].remaining > 0 else {
                return .failure(ModelRefusal(status: 409, slug: "already-consumed", members: ["remaining": "0"]))
            }
            changed[key].spend([ModelSlice(lot: lot.lot, amount: 1)], "spend", booking: nil, at: self.now)
            changed.passUses[use] = key.user
        }
        self = changed
        return .success(ModelConsumption(replayed: isKnown, remaining: self[key].lots[lot.lot].remaining))
    }
}
