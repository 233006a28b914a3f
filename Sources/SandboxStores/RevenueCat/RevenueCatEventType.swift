import Foundation
import JSON

extension SandboxEvent {
    typealias RevenueCatUpdate = (word: RevenueCatEventType, transaction: SandboxTransaction)

    /// RevenueCat's updates for this event; empty for pending purchases, consumption requests and partial refunds, for
    /// which RevenueCat has no event types.
    var revenueCatUpdate: [RevenueCatUpdate] {
        switch self.kind {
        case .upgraded: self.upgradeNews
        case .billingIssue:
            self.news(.billingIssue(graceEndsAt: self.chain?.graceEndsAt)) + self.news(.cancellation(.billingError))
        default: self.revenueCatEventType.map { self.news($0) } ?? []
        }
    }

    private func news(_ word: RevenueCatEventType) -> [RevenueCatUpdate] {
        [(word, self.transaction)]
    }

    private var revenueCatEventType: RevenueCatEventType? {
        switch self.kind {
        case .purchased, .pendingPaid: self.isSubscription ? .initialPurchase : .nonRenewingPurchase
        case .resubscribed, .recovered, .resumed: .renewal(isTrialConversion: false)
        case .renewed: .renewal(isTrialConversion: self.previous?.isTrial ?? false)
        case .renewalTurnedOff: .cancellation(.unsubscribe)
        case .renewalTurnedOn, .pauseCalledOff: .uncancellation
        case .graceEnded: self.chain?.expiredReason == nil ? .expiration(.billingError) : nil
        case .expired: .expiration(self.revenueCatExpirationReason)
        case .pausePlanned: .paused(until: self.chain?.resumesAt)
        case .paused: .expiration(.paused)
        case .downgradePlanned: .productChange(to: self.chain?.nextProductID ?? self.transaction.productID)
        case .refunded: self.isReportedAsRefund ? .cancellation(.customerSupport) : nil
        case .refundReversed: self.transaction.store == .appStore ? .refundReversed : nil
        case .revoked: self.isSubscription ? .expiration(.developerInitiated) : nil
        case .purchasePending, .pendingAbandoned, .consumptionRequested, .refundReviewed, .billingIssue, .upgraded,
            .transferred:
            nil
        }
    }

    private var isSubscription: Bool { self.transaction.kind == .subscription }

    /// For a subscription, only the refund of the latest period is reported; a partial refund is never reported.
    private var isReportedAsRefund: Bool {
        guard self.transaction.refundedShare == 1_000_000 else { return false }
        return !self.isSubscription
            || self.state.periods(of: self.transaction.originalID).last?.id == self.transaction.id
    }

    private var revenueCatExpirationReason: RevenueCatEventType.Reason {
        switch self.chain?.expiredReason {
        case .billing: .billingError
        case .paused: .paused
        case .replaced: .unknown
        case .voluntary, nil: .unsubscribe
        }
    }

    /// The App Store renews with the better product; Google Play creates a new subscription.
    private var upgradeNews: [RevenueCatUpdate] {
        if self.transaction.store == .googlePlay {
            return self.news(.initialPurchase) + (self.previous.map { [(.expiration(.unknown), $0)] } ?? [])
        }
        let change =
            self.previous.map { [(RevenueCatEventType.productChange(to: self.transaction.productID), $0)] } ?? []
        return change + self.news(.renewal(isTrialConversion: false))
    }
}

/// A type of webhook event, with the members that only this type has.
enum RevenueCatEventType: Sendable, Equatable {
    case initialPurchase
    case renewal(isTrialConversion: Bool)
    case nonRenewingPurchase
    case cancellation(Reason)
    case uncancellation
    case billingIssue(graceEndsAt: Date?)
    case expiration(Reason)
    case productChange(to: String)
    case paused(until: Date?)
    case refundReversed

    /// The reason why renewal was turned off or a subscription ended.
    enum Reason: String, Sendable {
        case unsubscribe = "UNSUBSCRIBE"
        case billingError = "BILLING_ERROR"
        case customerSupport = "CUSTOMER_SUPPORT"
        case developerInitiated = "DEVELOPER_INITIATED"
        case paused = "SUBSCRIPTION_PAUSED"
        case unknown = "UNKNOWN"
    }

    /// The value of the member `type`.
    var type: String {
        switch self {
        case .initialPurchase: "INITIAL_PURCHASE"
        case .renewal: "RENEWAL"
        case .nonRenewingPurchase: "NON_RENEWING_PURCHASE"
        case .cancellation: "CANCELLATION"
        case .uncancellation: "UNCANCELLATION"
        case .billingIssue: "BILLING_ISSUE"
        case .expiration: "EXPIRATION"
        case .productChange: "PRODUCT_CHANGE"
        case .paused: "SUBSCRIPTION_PAUSED"
        case .refundReversed: "REFUND_REVERSED"
        }
    }

    /// The members that are specific to the type.
    var members: [String: JSONValue] {
        switch self {
        case .renewal(let isTrialConversion): ["is_trial_conversion": .bool(isTrialConversion)]
        case .cancellation(let reason): ["cancel_reason": .text(reason.rawValue)]
        case .billingIssue(let graceEndsAt): ["grace_period_expiration_at_ms": .milliseconds(graceEndsAt)]
        case .expiration(let reason): ["expiration_reason": .text(reason.rawValue)]
        case .productChange(let product): ["new_product_id": .text(product)]
        case .paused(let resumesAt): ["auto_resume_at_ms": .milliseconds(resumesAt)]
        default: [:]
        }
    }

    /// The factor for the price in this event: 1 for a payment, -1 for a refund, otherwise 0.
    var priceFactor: Double {
        switch self {
        case .initialPurchase, .renewal, .nonRenewingPurchase: 1
        case .cancellation(.customerSupport): -1
        default: 0
        }
    }
}
