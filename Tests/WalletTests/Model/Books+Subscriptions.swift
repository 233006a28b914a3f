import Foundation
import Stores
import Wallet

/// Identifies a subscription by the store's chain of periods.
struct SubscriptionKey: Hashable {
    var store: StoreName
    var environment: WalletEnvironment
    var original: String
}

/// The owner of a subscription and its newest period.
struct ModelSubscription {
    let owner: Int
    var current: Int
    /// The plan's limit of days ahead when the current period was first reported.
    var daysAhead: Int?
}

extension Books {
    /// Updates a subscription to its newest period (rule 27).
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

    /// Returns the owner of a claim's subscription, who also owns its renewals, regardless of who submits them.
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

    /// A Boolean value that indicates whether a live unlimited plan covers bookings, for a class at `startsAt` if
    /// given.
    func isUnlimited(_ key: WalletKey, startsAt: Date? = nil) -> Bool {
        self.livePlans(key).contains { subscription in
            let period = self.claims[subscription.current]
            guard self.product(of: period)?.unlimited == true else { return false }
            guard let startsAt else { return true }
            return (period.willRenew.value ?? true) || startsAt < period.accessEndsAt
        }
    }

    /// A Boolean value that indicates whether an unlimited plan ended within the last hour and its renewal may only not
    /// have been reported yet.
    func awaitsRenewal(_ key: WalletKey) -> Bool {
        self.subscriptions.contains { name, subscription in
            let period = self.claims[subscription.current]
            return subscription.owner == key.user && name.environment == key.environment
                && period.share < 1_000_000 && self.product(of: period)?.unlimited == true
                && period.willRenew.value ?? true
                && (0..<3_600).contains(self.now.timeIntervalSince(period.accessEndsAt))
        }
    }

    /// The subscriptions that give access now (rule 28).
    func livePlans(_ key: WalletKey) -> [ModelSubscription] {
        self.subscriptions.filter { name, subscription in
            let period = self.claims[subscription.current]
            return subscription.owner == key.user && name.environment == key.environment
                && period.share < 1_000_000 && self.now < period.accessEndsAt
        }.map(\.value)
    }
}
