import Foundation

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

    /// Why renewal was turned off, or why a subscription ended.
    enum Reason: String, Sendable {
        case unsubscribe = "UNSUBSCRIBE"
        case billingError = "BILLING_ERROR"
        case customerSupport = "CUSTOMER_SUPPORT"
        case developerInitiated = "DEVELOPER_INITIATED"
        case paused = "SUBSCRIPTION_PAUSED"
        case unknown = "UNKNOWN"
    }

    /// What stands in `type`.
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

    /// The members that other types do not have.
    var members: [String: StoreJSON] {
        switch self {
        case .renewal(let isTrialConversion): ["is_trial_conversion": .flag(isTrialConversion)]
        case .cancellation(let reason): ["cancel_reason": .text(reason.rawValue)]
        case .billingIssue(let graceEndsAt): ["grace_period_expiration_at_ms": .milliseconds(graceEndsAt)]
        case .expiration(let reason): ["expiration_reason": .text(reason.rawValue)]
        case .productChange(let product): ["new_product_id": .text(product)]
        case .paused(let resumesAt): ["auto_resume_at_ms": .milliseconds(resumesAt)]
        default: [:]
        }
    }

    /// The share of the price that this event moves: all of it when paid, minus all of it when given back.
    var priceFactor: Double {
        switch self {
        case .initialPurchase, .renewal, .nonRenewingPurchase: 1
        case .cancellation(.customerSupport): -1
        default: 0
        }
    }
}
