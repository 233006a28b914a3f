/// The types of RevenueCat's webhooks that speak of one purchase.
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

    /// It is sent only for a purchase that was paid for.
    ///
    /// The others describe one: a loop of cancelling and taking it back must not grant.
    var provesPayment: Bool {
        switch self {
        case .initialPurchase, .renewal, .nonRenewingPurchase, .refundReversed: true
        case .cancellation, .uncancellation, .billingIssue, .subscriptionPaused, .expiration, .productChange,
            .subscriptionExtended:
            false
        }
    }

    /// Its `expiration_at_ms` is the end of the paid period.
    ///
    /// While a payment is overdue, and when a subscription has ended, the member may hold the end of the grace.
    var reportsPeriodEnd: Bool {
        switch self {
        case .initialPurchase, .renewal, .cancellation, .uncancellation, .productChange, .subscriptionExtended,
            .refundReversed:
            true
        case .nonRenewingPurchase, .billingIssue, .subscriptionPaused, .expiration: false
        }
    }
}
