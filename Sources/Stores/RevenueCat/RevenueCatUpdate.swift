import Foundation

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

extension RevenueCatMessage {
    private static let refundReason = "CUSTOMER_SUPPORT"

    /// Returns an event about one purchase.
    func event(of news: RevenueCatUpdate) throws(StoreError) -> StoreEvent {
        var event = self.bareEvent(subtype: try self.reason(of: news))
        var fact = try self.fact(of: news)
        try self.addNews(news, to: &fact)
        let owners = try self.owners()
        event.statements = try self.products(of: fact, news).map { .init(fact: $0, owners: owners) }
        if event.statements.contains(where: { $0.fact.lacksPeriodEnd }) {
            event.question = .init(
                kind: .period,
                purchaseToken: fact.transactionID,
                at: try self.reportedAt(),
                occasion: fact.occasion
            )
        }
        return event
    }

    /// Returns a fact per product of the purchase: a subscription with add-ons lists them with their own expiry dates.
    ///
    /// If the message's product is not in the list under any name, it is returned as a separate fact.
    private func products(of fact: StoreFact, _ news: RevenueCatUpdate) throws(StoreError) -> [StoreFact] {
        var facts: [StoreFact] = []
        for item in try self.record.list("items", atMost: StoreFact.mostProducts) ?? [] {
            var product = fact
            product.storeProductID = try item.text("product_id").orUnreadable()
            let end = try item.milliseconds("expiration_at_ms")
            if fact.kind == .subscription, news.reportsPeriodEnd, let end { product.expiresAt = end }
            if product.expiredAt != nil, let end { product.expiredAt = end }
            facts.append(product)
        }
        let listed = facts.listingProducts(ofEach: \.transactionID)
        guard listed.contains(where: { $0.purchaseProducts != nil }) else { return [fact] }
        return listed.contains { $0.productLabel == fact.productLabel } ? listed : [fact] + listed
    }

    private func reason(of news: RevenueCatUpdate) throws(StoreError) -> String? {
        switch news {
        case .cancellation: try self.record.text("cancel_reason", atMost: 100)
        case .expiration: try self.record.text("expiration_reason", atMost: 100)
        default: nil
        }
    }

    private func fact(of news: RevenueCatUpdate) throws(StoreError) -> StoreFact {
        let periodEnd = try self.record.milliseconds("expiration_at_ms")
        let periodName = try self.record.text("period_type")
        let period = StoreFact.PeriodType(revenueCat: periodName)
        var fact = StoreFact(
            store: StoreName(revenueCat: try self.record.text("store").orUnreadable()),
            environment: try self.environment("environment").orUnreadable(),
            transactionID: try self.record.identifier("transaction_id").orUnreadable(),
            storeProductID: try self.record.text("product_id").orUnreadable(),
            kind: Self.kind(of: news, period: period, periodEnd: periodEnd),
            ownership: try self.record.flag("is_family_share") == true ? .familyShared : .purchased,
            purchasedAt: try self.record.milliseconds("purchased_at_ms").orUnreadable()
                .boughtBefore(self.datedAt()),
            source: .notification,
            sourceAt: try self.reportedAt()
        )
        fact.originalTransactionID = try self.record.identifier("original_transaction_id")
        fact.pending = !news.provesPayment
        if fact.kind == .subscription {
            // Without a period type, a trial would be treated as paid.
            if news.provesPayment { _ = try periodName.orUnreadable() }
            fact.periodType = period
            fact.expiresAt = news.reportsPeriodEnd ? periodEnd : nil
        }
        fact.nameOrder()
        return fact
    }

    /// Refunds have the same type for both kinds of purchase; a one-time purchase has neither an end nor a period type.
    private static func kind(of news: RevenueCatUpdate, period: StoreFact.PeriodType, periodEnd: Date?)
        -> StoreFact.Kind
    {
        switch news {
        case .nonRenewingPurchase: .oneTime
        case .cancellation, .refundReversed:
            periodEnd == nil && (period == .normal || period == .promotional) ? .oneTime : .subscription
        default: .subscription
        }
    }

    private func addNews(_ news: RevenueCatUpdate, to fact: inout StoreFact) throws(StoreError) {
        switch news {
        case .initialPurchase, .renewal:
            // A prepaid plan does not renew automatically.
            fact.willRenew = fact.periodType != .prepaid
            fact.billingIssue = false
            fact.occasion = .renewal
        case .cancellation: try self.addCancellation(to: &fact)
        case .uncancellation:
            fact.willRenew = true
            fact.occasion = .uncancellation
        case .billingIssue:
            fact.billingIssue = true
            fact.graceEndsAt = try self.record.milliseconds("grace_period_expiration_at_ms")
            fact.occasion = .billingIssue
        case .subscriptionPaused:
            fact.paused = true
            fact.occasion = .cancellation
        case .expiration: try self.addExpiration(to: &fact)
        case .subscriptionExtended: fact.occasion = .renewal
        case .refundReversed:
            fact.refundedMillionths = 0
            fact.occasion = .refund
        case .nonRenewingPurchase, .productChange: break
        }
    }

    /// A refund is a cancellation with a specific reason; renewal may still be on afterwards.
    private func addCancellation(to fact: inout StoreFact) throws(StoreError) {
        guard try self.record.text("cancel_reason", atMost: 100) == Self.refundReason else {
            if fact.kind == .subscription { fact.willRenew = false }
            fact.occasion = .cancellation
            return
        }
        fact.refundedMillionths = 1_000_000
        fact.refundedAt = fact.sourceAt
        fact.occasion = .refund
    }

    private func addExpiration(to fact: inout StoreFact) throws(StoreError) {
        fact.expiredAt = try self.record.milliseconds("expiration_at_ms").orUnreadable()
        if try self.record.text("expiration_reason", atMost: 100) == "SUBSCRIPTION_PAUSED" { fact.paused = true }
        fact.occasion = .expiration
    }
}

extension StoreFact {
    /// A Boolean value that indicates whether this is a paid period whose end must be looked up.
    fileprivate var lacksPeriodEnd: Bool { self.kind == .subscription && !self.pending && self.expiresAt == nil }
}
