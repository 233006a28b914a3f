public import Foundation
import NIOHTTP1

extension GooglePlayAPI {
    /// The time span in which the store lists voided purchases.
    private static let window: TimeInterval = 30 * 24 * 3_600
    private static let maximumPages = 100

    /// A purchase that was cancelled, refunded or charged back.
    public struct VoidedPurchase: Hashable, Sendable {
        /// The token of the purchase, the same for all periods of a subscription.
        public var purchaseToken: String
        /// The order that was voided.
        public var orderID: String?
        /// The time of the purchase.
        public var purchasedAt: Date?
        /// The time of the voiding.
        public var voidedAt: Date
        /// The number of items that were voided; nil if the whole purchase was voided.
        public var quantity: Int?
    }

    /// Returns the purchases that were voided, including those whose notification was lost.
    ///
    /// The store lists only the last 30 days.
    /// - Parameter since: The start of the time span.
    /// - Returns: The voided purchases of products and subscriptions.
    /// - Throws: ``StoreError``: `misconfigured`, `unavailable`.
    public func voidedPurchases(since: Date) async throws(StoreError) -> [VoidedPurchase] {
        let now = self.wallClock()
        let earliest = now.addingTimeInterval(60 - Self.window)
        let start = min(max(since, earliest), now).millisecondsSince1970
        let query = "startTime=\(start)&type=1&includeQuantityBasedPartialRefund=true&maxResults=1000"
        let url = "\(try self.path("purchases/voidedpurchases"))?\(query)"
        var purchases: [VoidedPurchase] = []
        var page: String?
        for _ in 0..<Self.maximumPages {
            let address = page.map { "\(url)&token=\($0)" } ?? url
            let document = try await self.document(from: address, for: .playVoided)
            purchases += try self.read { () throws(StoreError) in try self.purchases(in: document) }
            guard let next = try document.object("tokenPagination")?.text("nextPageToken", atMost: 1_500) else {
                return purchases
            }
            page = StorePath.segment(next)
        }
        throw StoreError(.unavailable, retryAfter: self.configuration.limits.retryAfter)
    }

    private func purchases(in document: StoreDocument) throws(StoreError) -> [VoidedPurchase] {
        var purchases: [VoidedPurchase] = []
        for record in try document.list("voidedPurchases") ?? [] {
            purchases.append(
                VoidedPurchase(
                    purchaseToken: try record.text("purchaseToken", atMost: StorePath.maximumBytes).orUnreadable(),
                    orderID: try record.text("orderId"),
                    purchasedAt: try record.milliseconds("purchaseTimeMillis"),
                    voidedAt: try record.milliseconds("voidedTimeMillis").orUnreadable(),
                    quantity: try record.integer("voidedQuantity").map(Int.init)
                )
            )
        }
        return purchases
    }
}

extension GooglePlayAPI {
    /// Sends the report for a refund review; if several are sent, the store uses the first.
    ///
    /// - Parameters:
    ///   - review: The review as the store announced it.
    ///   - answer: The report.
    /// - Throws: ``StoreError``: `notFound`, `rejected` for a review that has ended or was never requested,
    ///   `misconfigured`, `unavailable`.
    public func answer(
        _ review: StoreEvent.RefundReview,
        with answer: RefundReviewAnswer
    ) async throws(StoreError) {
        guard let body = try? answer.body(for: review.token) else { throw StoreError(.unreadable) }
        let url = "\(try self.path("orders", review.orderID)):reviewrefund"
        let reply = try await self.answer(.POST, url, for: .playRefundReview, body: body)
        guard (200..<300).contains(reply.status) else { throw self.error(of: reply) }
    }
}

/// A report for Google Play's refund review: how much of the purchase was used, and when.
public struct RefundReviewAnswer: Sendable, Equatable {
    /// The outcome that the operator prefers; the store decides.
    public enum Preference: String, Codable, Hashable, Sendable, CaseIterable {
        /// No refund.
        case decline = "DECLINE"
        /// A full refund.
        case approve = "APPROVE"
        /// No preference.
        case neutral = "NEUTRAL"
    }

    /// One use of the purchased credits.
    public struct Use: Sendable, Equatable {
        /// The time of the use.
        public var at: Date
        /// The description of the use.
        public var description: String

        /// Creates a use.
        /// - Parameters:
        ///   - at: The time of the use.
        ///   - description: The description of the use.
        public init(at: Date, description: String) {
            self.at = at
            self.description = description
        }
    }

    private static let mostUses = 1_000
    private static let longestDescription = 5_000
    private static let everything: Int64 = 100_000

    /// The preferred outcome.
    public let preference: Preference
    /// The used share in thousandths of a percent, rounded down; nil if the order granted no credits.
    public let consumptionPercentage: Int?
    /// The uses, at most 1,000.
    public let uses: [Use]

    /// Creates a report from a purchase's lots.
    /// - Parameters:
    ///   - granted: The number of credits that the order granted; 0 if it granted none.
    ///   - spent: The number of those credits that were spent; capped at `granted`.
    ///   - uses: The uses, the latest first.
    ///   - preference: The preferred outcome.
    public init(granted: Int64, spent: Int64, uses: [Use], preference: Preference) {
        let (high, low) = min(max(spent, 0), max(granted, 0)).multipliedFullWidth(by: Self.everything)
        self.consumptionPercentage = granted > 0 ? Int(granted.dividingFullWidth((high, low)).quotient) : nil
        self.uses = Array(uses.prefix(Self.mostUses))
        self.preference = preference
    }

    /// Returns the request body for the store.
    fileprivate func body(for token: String) throws -> Data {
        let usage = self.uses.map { use in
            Body.Usage(
                consumptionTime: use.at.storeInstant,
                consumptionItemDescription: String(use.description.prefix(Self.longestDescription))
            )
        }
        return try JSONEncoder().encode(
            Body(
                pendingRefundToken: token,
                sampleContentProvided: false,
                refundPreference: self.preference,
                consumptionPercentageMilliunits: self.consumptionPercentage,
                consumptionUsageEvents: usage.isEmpty ? nil : usage
            )
        )
    }

    private struct Body: Encodable {
        struct Usage: Encodable {
            let consumptionTime: String
            let consumptionItemDescription: String
        }

        let pendingRefundToken: String
        let sampleContentProvided: Bool
        let refundPreference: Preference
        let consumptionPercentageMilliunits: Int?
        let consumptionUsageEvents: [Usage]?
    }
}
