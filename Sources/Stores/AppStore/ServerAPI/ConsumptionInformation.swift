import Foundation
import NIOHTTP1

extension AppStoreServerAPI {
    /// Reports to the store how much of a purchase was consumed, after the store requested it by a notification.
    ///
    /// Another report replaces the previous one. The store waits 12 hours for the report.
    /// - Parameters:
    ///   - consumption: The consumption of the purchase.
    ///   - transactionID: The transaction in the notification, which may be an old one.
    ///   - environment: The store environment that sent the request.
    /// - Throws: ``StoreError``: `notFound`, `rejected` with the store's code (also for an expired request),
    ///   `rateLimited` and `unavailable` with the seconds to wait, `misconfigured`.
    public func sendConsumption(
        _ consumption: ConsumptionInformation,
        of transactionID: String,
        in environment: StoreEnvironment
    ) async throws(StoreError) {
        guard let body = try? JSONEncoder().encode(consumption) else { throw StoreError(.unreadable) }
        let path = "/inApps/v2/transactions/consumption/\(try Self.segment(transactionID))"
        let question = AppStoreServerQuestion(
            operation: .appStoreConsumption,
            method: .PUT,
            path: path,
            body: body
        )
        _ = try await self.ask(question, of: environment)
    }
}

/// The consumption of a purchase, which the App Store requests before it decides on a refund.
public struct ConsumptionInformation: Sendable, Equatable {
    /// The outcome that the operator prefers; the store decides.
    public enum RefundPreference: String, Codable, Hashable, Sendable {
        /// No refund.
        case decline = "DECLINE"
        /// A full refund.
        case grantFull = "GRANT_FULL"
        /// A refund of the unused share.
        case grantProrated = "GRANT_PRORATED"
    }

    /// The delivery status of a purchase.
    public enum DeliveryStatus: String, Codable, Hashable, Sendable {
        /// The purchase was delivered and works.
        case delivered = "DELIVERED"
        /// The purchase was not delivered, for a reason without a specific status.
        case undelivered = "UNDELIVERED_OTHER"
    }

    /// The delivery status: delivered if the purchase granted any credits.
    public let deliveryStatus: DeliveryStatus
    /// The spent share in thousandths of a percent, rounded down; nil for a subscription, whose share the store
    /// computes from the elapsed time.
    public let consumptionPercentage: Int?
    /// The preferred outcome, nil if the operator has no preference.
    public let refundPreference: RefundPreference?

    /// Creates the information from a purchase's lot.
    ///
    /// The store accepts a preference for a prorated refund only if the spent share is above 0 % and below 100 %. At 0
    /// % the preference becomes a full refund, at 100 % no refund.
    /// - Parameters:
    ///   - granted: The number of credits that the purchase granted, 0 or more.
    ///   - spent: The number of those credits that were spent; capped at `granted`.
    ///   - kind: One-time purchase or subscription period.
    ///   - refundPreference: The preferred outcome, nil to leave the decision to the store.
    public init(
        granted: Int64,
        spent: Int64,
        kind: StoreFact.Kind,
        refundPreference: RefundPreference? = nil
    ) {
        let whole = max(granted, 0)
        let part = min(max(spent, 0), whole)
        let (high, low) = part.multipliedFullWidth(by: Self.everything)
        let share = whole == 0 ? 0 : Int(whole.dividingFullWidth((high, low)).quotient)
        self.deliveryStatus = whole > 0 ? .delivered : .undelivered
        self.consumptionPercentage = kind == .subscription ? nil : share
        self.refundPreference =
            switch (refundPreference, kind, share) {
            case (.grantProrated, .oneTime, 0): .grantFull
            case (.grantProrated, .oneTime, Int(Self.everything)): .decline
            default: refundPreference
            }
    }

    private static let everything: Int64 = 100_000
}

extension ConsumptionInformation: Encodable {
    private enum CodingKeys: String, CodingKey {
        case customerConsented
        case deliveryStatus
        case sampleContentProvided
        case consumptionPercentage
        case refundPreference
    }

    /// Encodes the request body for the store.
    ///
    /// The body always states that the customer consented: the store refuses it otherwise. An operator without consent
    /// must not send any information.
    /// - Parameter encoder: The encoder to write to.
    /// - Throws: The encoder's errors.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(true, forKey: .customerConsented)
        try members.encode(self.deliveryStatus, forKey: .deliveryStatus)
        try members.encode(false, forKey: .sampleContentProvided)
        try members.encodeIfPresent(self.consumptionPercentage, forKey: .consumptionPercentage)
        try members.encodeIfPresent(self.refundPreference, forKey: .refundPreference)
    }
}
