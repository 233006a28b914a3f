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

    /// The factor for the price in this event: 1 for a payment, -1 for a refund, otherwise 0.
    var priceFactor: Double {
        switch self {
        case .initialPurchase, .renewal, .nonRenewingPurchase: 1
        case .cancellation(.customerSupport): -1
        default: 0
        }
    }
}
