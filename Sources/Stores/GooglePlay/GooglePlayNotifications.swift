public import Foundation
import JSON

/// Reads Google Play's real-time developer notifications, as Pub/Sub pushes them.
///
/// The token in the request's header authenticates the sender; it is checked elsewhere. A notification names the
/// purchase to look up; ``GooglePlayAPI/answer(_:)`` performs the lookup.
public struct GooglePlayNotifications: Sendable {
    private static let maximumBodyBytes = 256 * 1_024

    private let packageName: String

    /// Creates a reader.
    /// - Parameter packageName: The package name of the app whose notifications are accepted.
    public init(packageName: String) {
        self.packageName = packageName
    }

    /// Reads the body of a push.
    ///
    /// An unknown type is not an error: it is returned as ignored, with its id.
    /// - Parameter pushBody: The body's bytes.
    /// - Returns: An event with a lookup, or with the reason why there is nothing to look up.
    /// - Throws: ``StoreError``: `unreadable` if the body is not a pushed notification, `wrongApp` if it is about
    ///   another app.
    public func event(from pushBody: Data) throws(StoreError) -> StoreEvent {
        guard pushBody.count <= Self.maximumBodyBytes else { throw StoreError(.unreadable) }
        let push = try StoreDocument(parsing: pushBody)
        let message = try push.object("message").orUnreadable()
        let messageID = try message.identifier(message["messageId"] == nil ? "message_id" : "messageId")
        let id = "\(try push.text("subscription").orUnreadable()) \(try messageID.orUnreadable())"
        guard let encoded = message["data"]?.value.text, let data = Data(base64Encoded: encoded) else {
            throw StoreError(.unreadable)
        }
        let record = try StoreDocument(parsing: data)
        let packageName = try record.text("packageName").orUnreadable()
        guard packageName == self.packageName else { throw StoreError(.wrongApp) }
        return try GooglePlayNotification(record: record, id: id).event()
    }
}

/// One notification of Google Play, without its envelope.
private struct GooglePlayNotification {
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

/// The types of Google Play's subscription notifications.
private enum GooglePlaySubscriptionUpdate: Int64 {
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

extension GooglePlayAPI {
    /// Performs the lookup of a notification and adds the facts to it.
    ///
    /// The notification is only a hint; the store's answer determines the state of the purchase. Only the voiding of an
    /// order is taken from the notification itself.
    /// - Parameter event: A notification.
    /// - Returns: The notification with its facts and without its lookup; an event without a lookup is returned
    ///   unchanged.
    /// - Throws: ``StoreError``: `notFound`, `rejected`, `misconfigured`, `unavailable`, also for an answer that cannot
    ///   be read.
    public func answer(_ event: StoreEvent) async throws(StoreError) -> StoreEvent {
        guard let question = event.question else { return event }
        var answered = event
        answered.question = nil
        let facts: [StoreFact] =
            switch question.kind {
            case .product: try await self.productFacts(question)
            case .subscription: try await self.subscriptionFacts(question)
            // Google Play can look up only whole purchases.
            case .period: []
            }
        answered.statements += facts.map { .init(fact: $0) }
        return answered
    }

    private func productFacts(_ question: StoreEvent.Lookup) async throws(StoreError) -> [StoreFact] {
        var facts = try await self.purchase(productID: question.productID, token: question.purchaseToken)
        guard question.isVoided else { return facts }
        for index in facts.indices {
            facts[index].void(by: question)
        }
        return facts
    }

    private func subscriptionFacts(_ question: StoreEvent.Lookup) async throws(StoreError) -> [StoreFact] {
        let isRenewal = question.occasion == .renewal
        let answer = try await self.subscriptionAnswer(
            token: question.purchaseToken,
            renewedAt: isRenewal ? Date(storeInstant: question.at) : nil
        )
        var facts = try self.read { () throws(StoreError) in try answer.facts() }
        guard question.isVoided else { return facts }
        let orderID = question.orderID
        for index in facts.indices where orderID == nil || facts[index].orderID == orderID {
            facts[index].void(by: question)
        }
        if let orderID, !facts.contains(where: { $0.orderID == orderID }) {
            // The order identifies no product, so all products of the subscription are voided.
            for (item, newest) in zip(try answer.ownedItems(), facts) {
                var older = try answer.fact(ofOlder: orderID, item: item, newest: newest)
                older.void(by: question)
                facts.append(older)
            }
        }
        return facts
    }
}

extension StoreFact {
    /// Marks the whole purchase as refunded.
    fileprivate mutating func void(by question: StoreEvent.Lookup) {
        if self.orderID == nil, let orderID = question.orderID {
            self.orderID = orderID
            self.transactionID = orderID
        }
        self.refundedMillionths = 1_000_000
        self.refundedAt = Date(storeInstant: question.at)
        self.occasion = .refund
    }
}
