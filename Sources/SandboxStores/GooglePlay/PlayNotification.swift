import JSON

extension SandboxEvent {
    /// The Google Play notifications of this event; empty for purchases of the App Store, pending purchases and
    /// transfers.
    var playNotifications: [PlayNotification] {
        guard self.transaction.store == .googlePlay, let token = self.transaction.purchaseToken else { return [] }
        switch self.kind {
        case .refunded: return self.refundWords(token)
        case .upgraded: return self.upgradeWords(token)
        case .refundReviewed:
            return [.refundReview(token: self.transaction.refundReviewToken ?? "", orderID: self.transaction.id)]
        default: break
        }
        if self.transaction.kind == .subscription {
            return self.playSubscriptionType.map { [self.word($0)] } ?? []
        }
        switch self.kind {
        case .purchased, .pendingPaid:
            return [.oneTime(.purchased, token: token, product: self.soleProduct)]
        case .pendingAbandoned: return [.oneTime(.cancelled, token: token, product: self.soleProduct)]
        case .revoked: return self.refundWords(token)
        default: return []
        }
    }

    private var soleProduct: String? {
        self.transaction.furtherProductIDs == nil ? self.transaction.productID : nil
    }

    private var playSubscriptionType: PlayNotification.SubscriptionType? {
        switch self.kind {
        case .purchased, .pendingPaid, .resubscribed: .purchased
        case .pendingAbandoned: .pendingPurchaseCancelled
        case .renewed: .renewed
        case .recovered, .resumed: .recovered
        case .renewalTurnedOff: self.chain?.isRenewing == true ? .cancellationScheduled : .cancelled
        case .renewalTurnedOn: .restarted
        case .billingIssue: self.chain?.isInGrace(at: self.at) == true ? .inGracePeriod : .onHold
        // If the subscription ends with its grace period, only the expiry is reported.
        case .graceEnded: self.chain?.expiredReason == nil ? .onHold : nil
        case .expired: .expired
        case .pausePlanned, .pauseCalledOff: .pauseScheduleChanged
        case .paused: .paused
        case .downgradePlanned: .itemsChanged
        case .revoked: .revoked
        case .purchasePending, .upgraded, .refunded, .refundReversed, .consumptionRequested, .refundReviewed,
            .transferred:
            nil
        }
    }

    private func word(_ type: PlayNotification.SubscriptionType) -> PlayNotification {
        .subscription(
            type,
            token: self.transaction.purchaseToken ?? "",
            product: self.transaction.playProduct.id
        )
    }

    /// A full refund of the current period also revokes the subscription.
    private func refundWords(_ token: String) -> [PlayNotification] {
        let isSubscription = self.transaction.kind == .subscription
        let isPartial = (1..<1_000_000).contains(self.transaction.refundedShare)
        let voided = PlayNotification.voided(
            token: token,
            orderID: self.transaction.orderID,
            isSubscription: isSubscription,
            isPartial: isPartial
        )
        let newest = self.state.periods(of: self.transaction.originalID).last
        guard isSubscription, !isPartial, newest?.id == self.transaction.id else { return [voided] }
        return [voided, self.word(.revoked)]
    }

    /// Returns notifications of the new subscription and of the expiry of the replaced one.
    private func upgradeWords(_ token: String) -> [PlayNotification] {
        guard let previous = self.previous, let ended = previous.purchaseToken else { return [self.word(.purchased)] }
        return [self.word(.purchased), .subscription(.expired, token: ended, product: previous.playProduct.id)]
    }
}

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
    var body: JSONValue {
        switch self {
        case .subscription(let type, let token, let product):
            [
                "version": "1.0", "notificationType": .integer(type.rawValue), "purchaseToken": .text(token),
                "subscriptionId": .text(product),
            ]
        case .oneTime(let type, let token, let product):
            JSONValue.object([
                "version": "1.0", "notificationType": .integer(type.rawValue), "purchaseToken": .text(token),
                "sku": .optional(product),
            ]).withoutNulls
        case .voided(let token, let orderID, let isSubscription, let isPartial):
            JSONValue.object([
                "purchaseToken": .text(token), "orderId": .optional(orderID),
                "productType": isSubscription ? 1 : 2, "refundType": isPartial ? 2 : 1,
            ]).withoutNulls
        case .refundReview(let token, let orderID):
            // 7 is the only defined reason: a chargeback.
            ["version": "1.0", "pendingRefundToken": .text(token), "orderId": .text(orderID), "refundReason": 7]
        }
    }
}
