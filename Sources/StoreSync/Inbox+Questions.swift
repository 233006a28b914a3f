import Foundation
import Logging
import Stores
import Wallet

extension Inbox {
    /// The time within which the App Store accepts consumption information.
    private static let consumptionWindow: Duration = .seconds(12 * 3_600)
    /// The time within which Google Play accepts an answer to a refund review.
    private static let reviewWindow: Duration = .seconds(24 * 3_600)

    /// Performs the lookup that a message requires, and answers the store's requests in the message.
    ///
    /// - Parameters:
    ///   - event: The parsed message.
    ///   - received: The time of receipt; nil if it is no longer known.
    /// - Returns: The message with all data that is needed to apply it.
    /// - Throws: ``StoreError`` when the store does not answer, ``UnknownPurchase`` while the purchase in the store's
    ///   request is not in the wallet, ``StoreNotEnabled`` if the store is not enabled, ``WalletError`` when the
    ///   database does not answer.
    func answer(_ event: StoreEvent, received: ContinuousClock.Instant?) async throws -> StoreEvent {
        var event = event
        if event.question?.kind == .period {
            for index in event.statements.indices where event.statements[index].fact.expiresAt == nil {
                event.statements[index].fact.expiresAt = try await self.periodEnd(of: event.statements[index])
            }
            event.question = nil
        } else if event.question != nil {
            guard let googlePlay = self.stores.googlePlay else {
                throw StoreNotEnabled()
            }
            event = try await googlePlay.answer(event)
            event.question = nil
        }
        if let transactionID = event.consumptionRequest {
            try await self.reportConsumption(of: transactionID, event, received: received)
            event.consumptionRequest = nil
        }
        if let review = event.refundReview {
            event.ignored = try await self.answer(review, received: received).rawValue
            event.refundReview = nil
        }
        return event
    }

    /// Returns the end of a period from the store of sale or RevenueCat; nil if neither has it.
    private func periodEnd(of statement: StoreEvent.AttributedFact) async throws -> Date? {
        let id = statement.fact.transactionID
        do {
            if statement.fact.store == .appStore, let api = self.stores.serverAPI {
                return try await api.transaction(id).fact(source: .serverAPI).expiresAt
            }
            guard let api = self.stores.revenueCat, let owner = statement.owners.first else { return nil }
            let facts = try await api.statements(ofUser: owner).map(\.fact)
                .filter { $0.store == statement.fact.store && $0.transactionID == id }
            return (facts.first { $0.storeProductID == statement.fact.storeProductID } ?? facts.first)?.expiresAt
        } catch {
            // A store that does not find the purchase now will not find it later.
            guard error.code == .notFound || error.code == .rejected else { throw error }
            return nil
        }
    }

    /// Reports a purchase's consumption to the App Store, which requests it before it decides on a refund.
    private func reportConsumption(
        of transactionID: String,
        _ event: StoreEvent,
        received: ContinuousClock.Instant?
    ) async throws {
        guard self.stores.sharesConsumption, let api = self.stores.serverAPI, let statement = event.statements.first
        else { return }
        let fact = statement.fact
        guard let used = try await self.consumption(of: transactionID, statement) else {
            let age = received.map { $0.duration(to: .now) } ?? Self.consumptionWindow
            guard age < Self.consumptionWindow else { return }
            throw UnknownPurchase(retryAfter: Self.pause(after: age, within: Self.consumptionWindow))
        }
        do {
            try await api.sendConsumption(
                ConsumptionInformation(granted: used.granted, spent: used.spent, kind: fact.kind),
                of: transactionID,
                in: fact.environment
            )
        } catch {
            // The report is too late or its transaction is unknown to the store. A retry would only delay the rest of
            // the message.
            guard error.code == .rejected || error.code == .notFound else { throw error }
            self.logger.warning("The App Store rejected the consumption report", metadata: ["error": "\(error)"])
        }
    }

    /// Returns the consumption of a purchase; nil if the purchase was not granted yet.
    private func consumption(
        of transactionID: String,
        _ statement: StoreEvent.AttributedFact
    ) async throws -> (granted: Int64, spent: Int64)? {
        let environment = statement.fact.environment
        if let used = try await self.wallet.consumption(of: transactionID, in: .appStore, environment: environment) {
            return used
        }
        // The message may be the first report of the purchase.
        _ = try await self.wallet.apply(statement)
        return try await self.wallet.consumption(of: transactionID, in: .appStore, environment: environment)
    }

    /// The result of a refund review, as the inbox stores it.
    private enum ReviewOutcome: String {
        case answered = "refund-review-answered"
        case refused = "refund-review-refused"
        /// The operator does not answer refund reviews.
        case off = "refund-review-off"
        /// The wallet has no grant for the order.
        case unknown = "refund-review-unknown-order"
    }

    /// Answers Google Play's refund review with the usage of the order's lots; retries within the review window if the
    /// order is unknown.
    private func answer(
        _ review: StoreEvent.RefundReview,
        received: ContinuousClock.Instant?
    ) async throws -> ReviewOutcome {
        guard let preference = self.stores.refundReviews else { return .off }
        guard let api = self.stores.googlePlay else { throw StoreNotEnabled() }
        guard let usage = try await self.wallet.usage(ofOrder: review.orderID, in: .playStore) else {
            let age = received.map { $0.duration(to: .now) } ?? Self.reviewWindow
            guard age < Self.reviewWindow else {
                self.logger.error("A refund review was not answered: the order is unknown")
                return .unknown
            }
            throw UnknownPurchase(retryAfter: Self.pause(after: age, within: Self.reviewWindow))
        }
        let uses = usage.uses.map { RefundReviewAnswer.Use(at: $0.at, description: "\($0.what), \($0.amount)") }
        let answer = RefundReviewAnswer(
            granted: usage.granted,
            spent: usage.spent,
            uses: uses,
            preference: preference
        )
        do {
            try await api.answer(review, with: answer)
        } catch {
            guard error.code == .rejected || error.code == .notFound else { throw error }
            self.logger.error(
                "Google Play rejected the answer to a refund review",
                metadata: ["error": "\(error)"]
            )
            return .refused
        }
        self.logger.notice(
            "A refund review was answered",
            metadata: [
                "preference": "\(preference.rawValue)", "uses": "\(answer.uses.count)",
                "milliunits": "\(answer.consumptionPercentage.map(String.init) ?? "none")",
            ]
        )
        return .answered
    }

    /// Returns a pause that grows with the age, so that the attempts spread over the window, with a last one at its
    /// end.
    private static func pause(after age: Duration, within window: Duration) -> Int {
        Int(min(max(age / 2, .seconds(30)), window - age).components.seconds) + 1
    }
}

/// The wallet has no record of the purchase in a store's request yet.
struct UnknownPurchase: Error, CustomStringConvertible {
    /// The number of seconds before the next attempt.
    let retryAfter: Int

    var description: String { "purchase-unknown" }
}

/// A message needs a lookup at a store that is no longer enabled.
private struct StoreNotEnabled: Error, CustomStringConvertible {
    var description: String { "store-not-enabled" }
}
