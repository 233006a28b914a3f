/// What a real-time developer notification says: a hint to ask, and little more.
enum PlayNotification: Sendable, Equatable {
    case subscription(SubscriptionType, token: String, product: String)
    /// A purchase of several products names none.
    case oneTime(OneTimeType, token: String, product: String?)
    case voided(token: String, orderID: String?, isSubscription: Bool, isPartial: Bool)

    case refundReview(token: String, orderID: String)

    /// The number of what happened to a subscription.
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

    /// The number of what happened to a purchase made once.
    enum OneTimeType: Int64, Sendable {
        case purchased = 1
        /// A pending purchase came to nothing; no refund.
        case cancelled = 2
    }

    /// The member that the notification stands under.
    var name: String {
        switch self {
        case .subscription: "subscriptionNotification"
        case .oneTime: "oneTimeProductNotification"
        case .voided: "voidedPurchaseNotification"
        case .refundReview: "pendingRefundReviewNotification"
        }
    }

    /// What the list of notifications calls it.
    var type: String {
        switch self {
        case .subscription(let type, _, _): "\(self.name).\(type.rawValue)"
        case .oneTime(let type, _, _): "\(self.name).\(type.rawValue)"
        case .voided, .refundReview: self.name
        }
    }

    /// The notification itself.
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
            // The only reason that there is: a charge back.
            ["version": "1.0", "pendingRefundToken": .text(token), "orderId": .text(orderID), "refundReason": 7]
        }
    }
}
