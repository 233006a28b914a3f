import Foundation
import Stores
import Wallet

extension Books {
    /// Finds or creates the claim of a fact, and adds the fact's data to it.
    mutating func record(_ fact: StoreFact) -> Int {
        let names = PurchaseName.names(in: fact)
        let environment = WalletEnvironment(fact.environment)
        let matches = self.claims.indices.filter {
            self.claims[$0].mergedInto == nil && self.claims[$0].store == fact.store
                && self.claims[$0].environment == environment && !self.claims[$0].names.isDisjoint(with: names)
        }
        let claim: Int
        if matches.isEmpty {
            self.claims.append(ModelClaim(fact))
            claim = self.claims.count - 1
        } else {
            claim = matches.count == 1 ? matches[0] : self.merge(matches)
        }
        self.claims[claim].learn(fact)
        return claim
    }

    /// Merges claims of one purchase, which grants once.
    ///
    /// The claim that was granted first remains, and the grants of the others are taken back.
    private mutating func merge(_ numbers: [Int]) -> Int {
        let order = numbers.sorted { self.rank($0) < self.rank($1) }
        let first = order[0]
        let all = numbers.map { self.claims[$0] }
        self.claims[first].quantity = all.map(\.quantity).max() ?? 1
        self.claims[first].pending = all.allSatisfy(\.pending)
        self.claims[first].token = self.claims[first].token ?? all.compactMap(\.token).first
        self.claims[first].original = self.claims[first].original ?? all.compactMap(\.original).first
        self.claims[first].expiresAt = self.claims[first].expiresAt ?? all.compactMap(\.expiresAt).max()
        self.claims[first].commitment = self.claims[first].commitment ?? all.compactMap(\.commitment).first
        for other in all {
            self.claims[first].names.formUnion(other.names)
            self.claims[first].willRenew.hear(other.willRenew.value, at: other.willRenew.at) { !$0 && $1 }
            self.claims[first].graceEndsAt.hear(other.graceEndsAt.value, at: other.graceEndsAt.at, isLess: <)
            if let told = other.shareToldAt { self.claims[first].hear(share: other.share, at: told) }
        }
        for granted in all where granted.grantedAs != nil {
            guard let owner = granted.owner else { continue }
            self.lock(WalletKey(user: owner, environment: granted.environment))
        }
        for number in numbers where number != first {
            self.claims[number].mergedInto = first
            // A reference that one of the claims has used counts as used for all of them.
            for (use, user) in self.passUses where use.claim == number {
                let moved = ModelPassUse(claim: first, reference: use.reference)
                self.passUses[moved] = self.passUses[moved] ?? user
            }
            self.claims[number].share = 1_000_000
            self.claims[number].verdict = "duplicate"
            if self.claims[number].grantedAs != nil { self.sync(number) }
        }
        return first
    }

    private func rank(_ number: Int) -> (Int, Int, Int) {
        let claim = self.claims[number]
        return (claim.grantedAs ?? .max, claim.owner == nil ? 1 : 0, number)
    }

    /// Adds or changes a product of the catalogue, and grants the claims that were waiting for it (rule 15).
    mutating func put(_ product: ModelProduct) {
        self.products[product.id] = product
        let waiting = self.claims.indices.filter {
            let claim = self.claims[$0]
            return claim.verdict == "unknown-product" && claim.grantedAs == nil && claim.owner != nil
                && claim.storeProductID == product.id
        }
        for number in waiting {
            guard let owner = self.claims[number].owner else { continue }
            self.lock(WalletKey(user: owner, environment: self.claims[number].environment))
        }
        for number in waiting {
            guard let owner = self.claims[number].owner else { continue }
            let reason = self.refusal(of: number, for: owner, owner: owner)
            self.claims[number].verdict = reason ?? "granted"
            guard reason == nil else { continue }
            self.sync(number)
            self.syncSubscription(number)
        }
    }
}
