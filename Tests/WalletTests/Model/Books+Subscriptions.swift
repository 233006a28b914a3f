import Foundation
import Stores
import Wallet

/// Identifies a subscription by the store's chain of periods and its plan; a chain may contain several plans.
struct SubscriptionKey: Hashable {
    var store: StoreName
    var environment: WalletEnvironment
    var original: String
    var plan: String

    init?(of claim: ModelClaim) {
        guard claim.kind == .subscription, let original = claim.original else { return nil }
        self.store = claim.store
        self.environment = claim.environment
        self.original = original
        self.plan = claim.storeProductID
    }

    func isOtherPlan(of key: SubscriptionKey) -> Bool {
        var other = self
        other.plan = key.plan
        return other == key && self != key
    }
}

/// The owner of a subscription and its newest period.
struct ModelSubscription {
    var owner: Int
    var current: Int
    /// The plan's limit of days ahead when the current period was first reported.
    var daysAhead: Int?
}

extension Books {
    /// Updates a subscription to its newest period (rule 27).
    mutating func syncSubscription(_ number: Int) {
        let claim = self.claims[number]
        guard let key = SubscriptionKey(of: claim), claim.grantedAs != nil, let owner = claim.owner else { return }
        let known = self.subscriptions[key]
        var subscription = known ?? ModelSubscription(owner: owner, current: number)
        subscription.current = self.newestPeriod(of: key) ?? number
        if known?.current != subscription.current {
            subscription.daysAhead = self.product(of: self.claims[subscription.current])?.daysAhead
            if known != nil, claim.isListed { self.note("renewed with several plans") }
        }
        self.subscriptions[key] = subscription
    }

    /// Returns the owner of a claim's subscription, who also owns its renewals and its other plans, regardless of who
    /// submits them.
    func subscriptionOwner(of number: Int) -> Int? {
        guard let key = SubscriptionKey(of: self.claims[number]) else { return nil }
        return self.subscriptions[key]?.owner
            ?? self.subscriptions.first { $0.key.isOtherPlan(of: key) }?.value.owner
    }

    /// Counts periods with several plans, and refunds of one plan that leave another.
    mutating func noteSeveralPlans(of number: Int, isNew: Bool) {
        let claim = self.claims[number]
        guard claim.kind == .subscription, claim.isListed, claim.grantedAs != nil else { return }
        let others = self.claims.filter {
            $0.transactionID == claim.transactionID && $0.storeProductID != claim.storeProductID
                && $0.grantedAs != nil && $0.mergedInto == nil
        }
        if isNew, !others.isEmpty { self.note("granted another plan") }
        if claim.share > 0, others.contains(where: { $0.share == 0 }) { self.note("refunded one plan") }
    }

    private func newestPeriod(of key: SubscriptionKey) -> Int? {
        self.claims.indices.filter {
            let claim = self.claims[$0]
            return SubscriptionKey(of: claim) == key && claim.grantedAs != nil && claim.mergedInto == nil
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
