/// The types of Google Play's subscription notifications.
enum GooglePlaySubscriptionUpdate: Int64 {
    case recovered = 1
    case renewed = 2
    case canceled = 3
    case purchased = 4
    case onHold = 5
    case inGracePeriod = 6
    case restarted = 7
    case priceChangeConfirmed = 8
    case deferred = 9
    case paused = 10
    case pauseScheduleChanged = 11
    case revoked = 12
    case expired = 13
    case itemsChanged = 17
    case cancellationScheduled = 18
    case priceChangeUpdated = 19
    case pendingPurchaseCanceled = 20
    case priceStepUpConsentUpdated = 22

    /// The name of the type, as Google writes it after `SUBSCRIPTION_`.
    var name: String {
        switch self {
        case .recovered: "RECOVERED"
        case .renewed: "RENEWED"
        case .canceled: "CANCELED"
        case .purchased: "PURCHASED"
        case .onHold: "ON_HOLD"
        case .inGracePeriod: "IN_GRACE_PERIOD"
        case .restarted: "RESTARTED"
        case .priceChangeConfirmed: "PRICE_CHANGE_CONFIRMED"
        case .deferred: "DEFERRED"
        case .paused: "PAUSED"
        case .pauseScheduleChanged: "PAUSE_SCHEDULE_CHANGED"
        case .revoked: "REVOKED"
        case .expired: "EXPIRED"
        case .itemsChanged: "ITEMS_CHANGED"
        case .cancellationScheduled: "CANCELLATION_SCHEDULED"
        case .priceChangeUpdated: "PRICE_CHANGE_UPDATED"
        case .pendingPurchaseCanceled: "PENDING_PURCHASE_CANCELED"
        case .priceStepUpConsentUpdated: "PRICE_STEP_UP_CONSENT_UPDATED"
        }
    }

    /// The kind of change; nil if neither the period nor the renewal changes.
    var occasion: StoreFact.Occasion? {
        switch self {
        case .recovered, .renewed, .purchased: .renewal
        case .canceled, .paused, .cancellationScheduled, .pendingPurchaseCanceled: .cancellation
        case .onHold, .inGracePeriod: .billingIssue
        case .restarted: .uncancellation
        case .revoked, .expired: .expiration
        case .priceChangeConfirmed, .deferred, .pauseScheduleChanged, .itemsChanged, .priceChangeUpdated,
            .priceStepUpConsentUpdated:
            nil
        }
    }
}
