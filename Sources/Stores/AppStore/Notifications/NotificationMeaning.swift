/// What a type of notification means for the books.
enum NotificationMeaning: Equatable {
    /// It is about a transaction, and reports this of it.
    case transaction(StoreFact.Occasion)
    /// There is nothing to apply, for this reason.
    case nothing(String)

    /// Returns what a notification means.
    ///
    /// A type that this build does not know is never applied, even if it brings a transaction: what it says of that
    /// transaction may be the opposite of what the transaction alone says.
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
