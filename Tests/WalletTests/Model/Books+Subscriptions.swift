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
    /// What the plan said when the current period was first reported.
    var daysAhead: Int?
}

extension Books {
    /// Rule 27: the newest period counts, and only what was reported of it.
    mutating func syncSubscription(_ number: Int) {
        let claim = self.claims[number]
        guard
            claim.kind == .subscription, claim.grantedAs != nil, let original = claim.original, let owner = claim.owner
        else { return }
        let key = SubscriptionKey(store: claim.store, environment: claim.environment, original: original)
        let known = self.subscriptions[key]
        var subscription = known ?? ModelSubscription(owner: owner, current: number)
        subscription.current = self.newestPeriod(of: key) ?? number
        if known?.current != subscription.current {
            subscription.daysAhead = self.product(of: self.claims[subscription.current])?.daysAhead
        }
        self.subscriptions[key] = subscription
    }

    /// Anyone who has a subscription has its renewals, anyone who hands them in.
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
        self.livePlans(key).contains { subscription in
            let period = self.claims[subscription.current]
            guard self.product(of: period)?.unlimited == true else { return false }
            guard let startsAt else { return true }
            return (period.willRenew.value ?? true) || startsAt < period.accessEndsAt
        }
    }

    /// Whether the renewal of an unlimited plan that ended within the last hour may only not have been reported yet.
    func awaitsRenewal(_ key: WalletKey) -> Bool {
        self.subscriptions.contains { name, subscription in
            let period = self.claims[subscription.current]
            return subscription.owner == key.user && name.environment == key.environment
                && period.share < 1_000_000 && self.product(of: period)?.unlimited == true
                && period.willRenew.value ?? true
                && (0..<3_600).contains(self.now.timeIntervalSince(period.accessEndsAt))
        }
    }

    /// Rule 28: the subscriptions that give access now.
    func livePlans(_ key: WalletKey) -> [ModelSubscription] {
        self.subscriptions.filter { name, subscription in
            let period = self.claims[subscription.current]
            return subscription.owner == key.user && name.environment == key.environment
                && period.share < 1_000_000 && self.now < period.accessEndsAt
        }.map(\.value)
    }
}
