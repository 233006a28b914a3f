public import Foundation
import NIOHTTP1

/// The answer to a refund review of Google Play: how much of the purchase was used, and when.
public struct RefundReviewAnswer: Sendable, Equatable {
    /// The outcome that the operator prefers; the store decides.
    public enum Preference: String, Codable, Hashable, Sendable, CaseIterable {
        /// No refund.
        case decline = "DECLINE"
        /// A refund of everything.
        case approve = "APPROVE"
        /// Neither.
        case neutral = "NEUTRAL"
    }

    /// One use of what was bought.
    public struct Use: Sendable, Equatable {
        /// When it was used.
        public var at: Date
        /// What for.
        public var description: String

        /// Creates a use.
        /// - Parameters:
        ///   - at: When it was used.
        ///   - description: What for.
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
    /// The used share in thousandths of a percent, rounded down; nil where nothing is counted.
    public let consumptionPercentage: Int?
    /// What it was used for, a thousand times at most.
    public let uses: [Use]

    /// Creates an answer from a purchase's lots.
    /// - Parameters:
    ///   - granted: What the order granted; 0 where nothing is counted.
    ///   - spent: How much of it was spent; more than granted counts as all.
    ///   - uses: What it was used for, the latest first.
    ///   - preference: The preferred outcome.
    public init(granted: Int64, spent: Int64, uses: [Use], preference: Preference) {
        let (high, low) = min(max(spent, 0), max(granted, 0)).multipliedFullWidth(by: Self.everything)
        self.consumptionPercentage = granted > 0 ? Int(granted.dividingFullWidth((high, low)).quotient) : nil
        self.uses = Array(uses.prefix(Self.mostUses))
        self.preference = preference
    }

    /// The body that the store takes.
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

extension GooglePlayAPI {
    /// Answers a refund review; of several answers the store counts the first.
    ///
    /// - Parameters:
    ///   - review: The review as the store announced it.
    ///   - answer: What became of the purchase.
    /// - Throws: ``StoreError``: `notFound`, `rejected` for a review that is over or was never asked for,
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
