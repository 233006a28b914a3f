import Foundation
import Stores
import Wallet

/// Names a subscription: the store's chain of periods.
struct SubscriptionKey: Hashable {
    var store: StoreName
    var environment: WalletEnvironment
    var original: String
}

/// What the newest facts say of a subscription.
struct ModelSubscription {
    let owner: Int
    var current: Int
    var willRenew = true
    var graceEndsAt: Date?
    var flagsToldAt = Date.distantPast
}

extension Books {
    /// Rule 27: the newest period counts; it clears flags that are not newer than itself.
    mutating func syncSubscription(_ number: Int, _ fact: StoreFact?) {
        let claim = self.claims[number]
        guard
            claim.kind == .subscription, claim.grantedAs != nil, let original = claim.original, let owner = claim.owner
        else { return }
        let key = SubscriptionKey(store: claim.store, environment: claim.environment, original: original)
        var subscription = self.subscriptions[key] ?? ModelSubscription(owner: owner, current: number)
        let newest = self.newestPeriod(of: key) ?? number
        if newest != subscription.current, subscription.flagsToldAt <= self.claims[newest].purchasedAt {
            subscription.willRenew = true
            subscription.graceEndsAt = nil
        }
        subscription.current = newest
        if let fact, newest == number, fact.sourceAt >= subscription.flagsToldAt,
            fact.willRenew != nil || fact.billingIssue != nil || fact.graceEndsAt != nil
        {
            subscription.willRenew = fact.willRenew ?? subscription.willRenew
            subscription.graceEndsAt = fact.graceEndsAt
            subscription.flagsToldAt = fact.sourceAt
        }
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
                let end = period.expiresAt.map({ max($0, subscription.graceEndsAt ?? $0) }), self.now < end
            else { return false }
            guard let startsAt else { return true }
            return subscription.willRenew || startsAt < end
        }
    }
}
