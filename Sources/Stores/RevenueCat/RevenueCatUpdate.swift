/// The types of RevenueCat's webhooks about one purchase.
enum RevenueCatUpdate: String {
    case initialPurchase = "INITIAL_PURCHASE"
    case renewal = "RENEWAL"
    case nonRenewingPurchase = "NON_RENEWING_PURCHASE"
    case cancellation = "CANCELLATION"
    case uncancellation = "UNCANCELLATION"
    case billingIssue = "BILLING_ISSUE"
    case subscriptionPaused = "SUBSCRIPTION_PAUSED"
    case expiration = "EXPIRATION"
    case productChange = "PRODUCT_CHANGE"
    case subscriptionExtended = "SUBSCRIPTION_EXTENDED"
    case refundReversed = "REFUND_REVERSED"

    /// A Boolean value that indicates whether the type is sent only for a paid purchase.
    ///
    /// The other types only describe a purchase: repeated cancellations and reversals must not grant credits.
    var provesPayment: Bool {
        switch self {
        case .initialPurchase, .renewal, .nonRenewingPurchase, .refundReversed: true
        case .cancellation, .uncancellation, .billingIssue, .subscriptionPaused, .expiration, .productChange,
            .subscriptionExtended:
            false
        }
    }

    /// A Boolean value that indicates whether `expiration_at_ms` is the end of the paid period.
    ///
    /// While a payment is overdue, and after a subscription has ended, the member may contain the end of the grace
    /// period.
    var reportsPeriodEnd: Bool {
        switch self {
        case .initialPurchase, .renewal, .cancellation, .uncancellation, .productChange, .subscriptionExtended,
            .refundReversed:
            true
        case .nonRenewingPurchase, .billingIssue, .subscriptionPaused, .expiration: false
        }
    }
}
