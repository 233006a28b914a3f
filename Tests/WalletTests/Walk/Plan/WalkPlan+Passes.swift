import Foundation
import Wallet

extension WalkPlan {
    /// An app consumes a visit: mostly of a pass with visits left, and mostly under a new reference.
    mutating func consumption(_ books: Books) -> WalkStep {
        let owned = books.claims.filter { $0.owner != nil && $0.mergedInto == nil }
        let open = owned.filter { claim in
            claim.lots.map { books[$0.wallet].lots[$0.lot] }.contains { $0.unit == .visit && $0.remaining > 0 }
        }
        let some = self.random.chance(75) && !open.isEmpty ? open : owned
        guard let claim = some.randomElement(using: &self.random), let owner = claim.owner else {
            return .consume("nothing", reference: "nothing", self.wallet())
        }
        if self.random.chance(25), let known = self.consumptions.randomElement(using: &self.random) {
            return .consume(known.transactionID, reference: known.reference, known.key)
        }
        let key = WalletKey(user: self.random.chance(95) ? owner : self.user(), environment: claim.environment)
        let request = (transactionID: claim.transactionID, reference: self.name("use"), key: key)
        self.consumptions.append(request)
        return .consume(request.transactionID, reference: request.reference, request.key)
    }
}
