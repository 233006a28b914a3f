public import Foundation

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
