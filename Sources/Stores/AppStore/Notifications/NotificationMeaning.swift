/// The effect of a notification type on the ledger.
enum NotificationMeaning: Equatable {
    /// The notification reports a change of a transaction, with this occasion.
    case transaction(StoreFact.Occasion)
    /// The notification has no effect, for this reason.
    case nothing(String)

    /// Returns the effect of a notification.
    ///
    /// An unknown type is never applied, even if it carries a transaction. Its meaning could contradict the transaction
    /// alone, as a reversed refund does.
    init(_ type: NotificationType, _ subtype: NotificationSubtype?, hasData: Bool) {
        switch type {
        case .test: self = .nothing("test")
        case .externalPurchaseToken: self = .nothing("purchase outside the store")
        case .rescindConsent: self = .nothing("consent to the app was withdrawn")
        case .metadataUpdate, .migration, .priceChange: self = .nothing("says nothing of a payment")
        case .renewalExtension where !hasData: self = .nothing("summary")
        default:
            guard let occasion = Self.occasion(of: type, subtype) else {
                self = .nothing("unknown type")
                return
            }
            self = .transaction(occasion)
        }
    }

    private static func occasion(of type: NotificationType, _ subtype: NotificationSubtype?) -> StoreFact.Occasion? {
        switch type {
        case .refund, .refundReversed: .refund
        case .expired, .gracePeriodExpired: .expiration
        case .didFailToRenew: .billingIssue
        case .didChangeRenewalStatus: subtype == .autoRenewEnabled ? .uncancellation : .cancellation
        case .subscribed, .didRenew, .didChangeRenewalPreference, .offerRedeemed, .priceIncrease, .refundDeclined,
            .consumptionRequest, .renewalExtended, .renewalExtension, .revoke, .oneTimeCharge:
            .renewal
        default: nil
        }
    }
}
