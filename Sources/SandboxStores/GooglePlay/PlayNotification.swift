/// The content of a real-time developer notification, which is mainly a hint for a lookup.
enum PlayNotification: Sendable, Equatable {
    case subscription(SubscriptionType, token: String, product: String)
    /// The product is nil for a purchase of several products.
    case oneTime(OneTimeType, token: String, product: String?)
    case voided(token: String, orderID: String?, isSubscription: Bool, isPartial: Bool)

    case refundReview(token: String, orderID: String)

    /// The number of a subscription notification's type.
    enum SubscriptionType: Int64, Sendable {
        case recovered = 1
        case renewed = 2
        case cancelled = 3
        case purchased = 4
        case onHold = 5
        case inGracePeriod = 6
        case restarted = 7
        case paused = 10
        case pauseScheduleChanged = 11
        case revoked = 12
        case expired = 13
        case itemsChanged = 17
        case cancellationScheduled = 18
        case pendingPurchaseCancelled = 20
    }

    /// The number of a one-time purchase notification's type.
    enum OneTimeType: Int64, Sendable {
        case purchased = 1
        /// A pending purchase was cancelled before payment; it is not a refund.
        case cancelled = 2
    }

    /// The member that contains the notification.
    var name: String {
        switch self {
        case .subscription: "subscriptionNotification"
        case .oneTime: "oneTimeProductNotification"
        case .voided: "voidedPurchaseNotification"
        case .refundReview: "pendingRefundReviewNotification"
        }
    }

    /// The type in the list of notifications.
    var type: String {
        switch self {
        case .subscription(let type, _, _): "\(self.name).\(type.rawValue)"
        case .oneTime(let type, _, _): "\(self.name).\(type.rawValue)"
        case .voided, .refundReview: self.name
        }
    }

    /// The JSON body of the notification.
    var body: StoreJSON {
        switch self {
        case .subscription(let type, let token, let product):
            [
                "version": "1.0", "notificationType": .number(type.rawValue), "purchaseToken": .text(token),
                "subscriptionId": .text(product),
            ]
        case .oneTime(let type, let token, let product):
            StoreJSON.object([
                "version": "1.0", "notificationType": .number(type.rawValue), "purchaseToken": .text(token),
                "sku": .optional(product),
            ]).withoutNulls
        case .voided(let token, let orderID, let isSubscription, let isPartial):
            StoreJSON.object([
                "purchaseToken": .text(token), "orderId": .optional(orderID),
                "productType": isSubscription ? 1 : 2, "refundType": isPartial ? 2 : 1,
            ]).withoutNulls
        case .refundReview(let token, let orderID):
            // 7 is the only defined reason: a chargeback.
            ["version": "1.0", "pendingRefundToken": .text(token), "orderId": .text(orderID), "refundReason": 7]
        }
    }
}
