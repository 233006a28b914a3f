import Foundation

/// One notification of Google Play, without its envelope.
struct GooglePlayNotification {
    private static let members = [
        "subscriptionNotification", "oneTimeProductNotification", "voidedPurchaseNotification",
        "pendingRefundReviewNotification", "testNotification",
    ]

    let record: StoreDocument
    let id: String

    /// Returns the event of the notification, with a lookup if the store must be queried.
    func event() throws(StoreError) -> StoreEvent {
        let named = Self.members.filter { self.record[$0] != nil }
        guard named.count <= 1 else { throw StoreError(.unreadable) }
        guard let name = named.first, let news = try self.record.object(name) else {
            return self.ignored("UNKNOWN", because: "unknown-type")
        }
        switch name {
        case "subscriptionNotification": return try self.subscriptionEvent(news)
        case "oneTimeProductNotification": return try self.productEvent(news)
        case "voidedPurchaseNotification": return try self.voidedEvent(news)
        case "testNotification": return self.ignored("TEST", because: "test")
        default: return try self.reviewEvent(news)
        }
    }

    private func subscriptionEvent(_ news: StoreDocument) throws(StoreError) -> StoreEvent {
        let number = try news.integer("notificationType").orUnreadable()
        let type = GooglePlaySubscriptionUpdate(rawValue: number)
        var event = self.bareEvent("SUBSCRIPTION_\(type?.name ?? String(number))")
        event.question = .init(
            kind: .subscription,
            productID: try news.text("subscriptionId"),
            purchaseToken: try self.token(in: news),
            at: try self.sentAt(),
            occasion: type?.occasion
        )
        return event
    }

    /// A cancelled one-time purchase is one whose payment was never completed, so it is not a refund.
    private func productEvent(_ news: StoreDocument) throws(StoreError) -> StoreEvent {
        let number = try news.integer("notificationType").orUnreadable()
        switch number {
        case 1: break
        case 2: return self.ignored("ONE_TIME_PRODUCT_CANCELED", because: "never-paid")
        default: return self.ignored("ONE_TIME_PRODUCT_\(number)", because: "unknown-type")
        }
        var event = self.bareEvent("ONE_TIME_PRODUCT_PURCHASED")
        event.question = .init(
            kind: .product,
            // A purchase of several products omits the product id.
            productID: try news.text("sku"),
            purchaseToken: try self.token(in: news),
            at: try self.sentAt()
        )
        return event
    }

    /// The notification of a partial refund omits the quantity; the lookup of the product returns it.
    private func voidedEvent(_ news: StoreDocument) throws(StoreError) -> StoreEvent {
        let isWhole = try (news.integer("refundType") ?? 1) == 1
        let kind: StoreEvent.Lookup.Kind
        switch try news.integer("productType") {
        case 1: kind = .subscription
        case 2: kind = .product
        default: throw StoreError(.unreadable)
        }
        var event = self.bareEvent(isWhole ? "VOIDED_PURCHASE" : "VOIDED_PURCHASE.QUANTITY_PARTIAL")
        event.question = .init(
            kind: kind,
            purchaseToken: try self.token(in: news),
            orderID: try news.text("orderId"),
            isVoided: isWhole,
            at: try self.sentAt(),
            occasion: .refund
        )
        return event
    }

    private func reviewEvent(_ news: StoreDocument) throws(StoreError) -> StoreEvent {
        var event = self.bareEvent("PENDING_REFUND_REVIEW")
        event.refundReview = .init(
            token: try news.text("pendingRefundToken", atMost: StorePath.maximumBytes).orUnreadable(),
            orderID: try news.text("orderId").orUnreadable()
        )
        return event
    }

    private func bareEvent(_ type: String) -> StoreEvent {
        StoreEvent(source: .googlePlay, id: self.id, type: type)
    }

    private func ignored(_ type: String, because reason: String) -> StoreEvent {
        var event = self.bareEvent(type)
        event.ignored = reason
        return event
    }

    private func token(in news: StoreDocument) throws(StoreError) -> String {
        try news.text("purchaseToken", atMost: StorePath.maximumBytes).orUnreadable()
    }

    private func sentAt() throws(StoreError) -> Date {
        try self.record.milliseconds("eventTimeMillis").orUnreadable()
    }
}
