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
