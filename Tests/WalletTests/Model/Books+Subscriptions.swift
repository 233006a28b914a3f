import Foundation
import Stores
import Wallet

/// Names a subscription: the store's chain of periods.
struct SubscriptionKey: Hashable {
    var store: StoreName
    var environment: WalletEnvironment
    var original: String
}

/// Whose a subscription is, and which of its periods is the newest.
struct ModelSubscription {
    let owner: Int
    var current: Int
}

extension Books {
    /// Rule 27: the newest period counts, and only what was told of it.
    mutating func syncSubscription(_ number: Int) {
        let claim = self.claims[number]
        guard
            claim.kind == .subscription, claim.grantedAs != nil, let original = claim.original, let owner = claim.owner
        else { return }
        let key = SubscriptionKey(store: claim.store, environment: claim.environment, original: original)
        var subscription = self.subscriptions[key] ?? ModelSubscription(owner: owner, current: number)
        subscription.current = self.newestPeriod(of: key) ?? number
        self.subscriptions[key] = subscription
    }

    /// Whoever has a subscription has its renewals, whoever hands them in.
    func subscriptionOwner(of number: Int) -> Int? {
        let claim = self.claims[number]
        guard let original = claim.original else { return nil }
        let key = SubscriptionKey(store: claim.store, environment: claim.environment, original: original)
        return self.subscriptions[key]?.owner
    }

    private func newestPeriod(of key: SubscriptionKey) -> Int? {
        self.claims.indices.filter {
            let claim = self.claims[$0]
            return claim.kind == .subscription && claim.store == key.store && claim.environment == key.environment
                && claim.original == key.original && claim.grantedAs != nil && claim.mergedInto == nil
        }.max { self.claims[$0].purchasedAt < self.claims[$1].purchasedAt }
    }

    /// Whether a live unlimited plan books without limit, for a class at an instant if one is given.
    func isUnlimited(_ key: WalletKey, startsAt: Date? = nil) -> Bool {
        self.subscriptions.contains { name, subscription in
            guard subscription.owner == key.user, name.environment == key.environment else { return false }
            let period = self.claims[subscription.current]
            guard
                period.share < 1_000_000, let product = self.product(of: period), product.unlimited,
                let end = period.expiresAt.map({ max($0, period.graceEndsAt.value ?? $0) }), self.now < end
            else { return false }
            guard let startsAt else { return true }
            return (period.willRenew.value ?? true) || startsAt < end
        }
    }
}
