import Foundation
import JSON

/// A subscription in the format of the Android Publisher API: one purchase token with its newest period.
struct PlaySubscriptionAnswer {
    let first: SandboxTransaction
    let newest: SandboxTransaction
    let chain: SandboxSubscription
    /// The newest paid period.
    let paid: SandboxTransaction?
    let now: Date

    /// Creates the answer for a subscription.
    /// - Parameters:
    ///   - periods: The periods of the purchase token, oldest first.
    ///   - state: The stores' state.
    ///   - now: The stores' clock.
    init?(periods: [SandboxTransaction], in state: SandboxState, at now: Date) {
        guard let first = periods.first, let newest = periods.last, newest.kind == .subscription else { return nil }
        self.first = first
        self.newest = newest
        self.chain = state.chains[newest.originalID] ?? SandboxSubscription(isRenewing: false)
        self.paid = periods.last { $0.pendingSince == nil }
        self.now = now
    }

    /// The body of `purchases.subscriptionsv2.get`.
    var body: JSONValue {
        let account = self.first.appAccountToken
        return JSONValue.object([
            "kind": "androidpublisher#subscriptionPurchaseV2",
            "regionCode": "US",
            "startTime": self.paid == nil ? .null : .instant(self.first.purchasedAt),
            "subscriptionState": .text("SUBSCRIPTION_STATE_" + self.subscriptionState),
            "latestOrderId": .optional(self.paid?.orderID),
            "linkedPurchaseToken": .optional(self.chain.linkedPurchaseToken),
            "pausedStateContext": self.isPaused ? .object(["autoResumeTime": .instant(self.chain.resumesAt)]) : .null,
            "canceledStateContext": self.cancellation,
            "testPurchase": self.first.environment == .sandbox ? [:] : .null,
            "acknowledgementState": .text(PlayAcknowledgement.text(isDone: self.first.acknowledgedAt != nil)),
            "externalAccountIdentifiers": account.map { ["obfuscatedExternalAccountId": .text($0)] } ?? .null,
            "outOfAppPurchaseContext": self.outOfAppContext,
            "lineItems": .array(self.newest.products.map(self.lineItem)),
        ]).withoutNulls
    }

    private var outOfAppContext: JSONValue {
        guard let token = self.first.expiredPurchaseToken else { return .null }
        let account = self.first.expiredAccountToken
        return JSONValue.object([
            "expiredPurchaseToken": .text(token),
            "expiredExternalAccountIdentifiers":
                account.map { ["obfuscatedExternalAccountId": .text($0)] } ?? .null,
        ]).withoutNulls
    }

    private func lineItem(of period: SandboxTransaction) -> JSONValue {
        let product = period.playProduct
        return JSONValue.object([
            "productId": .text(product.id),
            "expiryTime": self.paid == nil ? .null : .instant(self.expiryTime),
            "autoRenewingPlan": self.autoRenewingPlan,
            "offerDetails": product.basePlan.map { ["basePlanId": .text($0)] } ?? .null,
            "offerPhase": self.newest.isTrial ? ["freeTrial": [:]] : ["basePrice": [:]],
            "deferredItemReplacement": self.chain.nextProductID.map { ["productId": .text($0)] } ?? .null,
            "latestSuccessfulOrderId": .optional(self.paid?.orderID),
        ]).withoutNulls
    }

    private var autoRenewingPlan: JSONValue {
        JSONValue.object([
            "autoRenewEnabled": self.chain.isRenewing ? true : .null,
            "installmentDetails": self.installments,
        ]).withoutNulls
    }

    private var installments: JSONValue {
        guard let period = self.newest.billingPeriod, let periods = self.newest.billingPeriods else { return .null }
        return JSONValue.object([
            "initialCommittedPaymentsCount": .integer(periods),
            "subsequentCommittedPaymentsCount": .integer(periods),
            "remainingCommittedPaymentsCount": .integer(periods - period),
            "pendingCancellation": self.chain.isCommitmentEnding == true ? [:] : .null,
        ]).withoutNulls
    }

    private var cancellation: JSONValue {
        guard !self.chain.isRenewing else { return .null }
        switch self.chain.expiredReason {
        case .replaced: return ["replacementCancellation": [:]]
        case .billing, .paused: return ["systemInitiatedCancellation": [:]]
        case .voluntary, nil: return ["userInitiatedCancellation": [:]]
        }
    }

    private var subscriptionState: String {
        if self.newest.abandonedAt != nil { return "PENDING_PURCHASE_CANCELED" }
        if self.newest.isPending { return "PENDING" }
        if self.newest.isUndone || self.chain.expiredReason != nil { return "EXPIRED" }
        if self.isPaused { return "PAUSED" }
        if self.chain.isInGrace(at: self.now) { return "IN_GRACE_PERIOD" }
        if self.chain.billingIssueSince != nil { return "ON_HOLD" }
        guard !self.chain.isRenewing else { return "ACTIVE" }
        return (self.newest.expiresAt ?? self.now) > self.now ? "CANCELED" : "EXPIRED"
    }

    private var isPaused: Bool { self.chain.isPaused(at: self.now) && self.chain.expiredReason == nil }

    /// During the grace period, Google Play returns the end of the grace period instead of the paid period's end.
    private var expiryTime: Date? {
        if self.chain.isInGrace(at: self.now) { return self.chain.graceEndsAt }
        guard self.newest.isUndone, let undoneAt = self.newest.revokedAt ?? self.newest.cancelledAt else {
            return self.newest.expiresAt
        }
        return min(self.newest.expiresAt ?? undoneAt, undoneAt)
    }
}
