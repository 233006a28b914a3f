public import AsyncHTTPClient
public import Foundation
public import Logging
import NIOHTTP1

/// A client of the RevenueCat API: looks up a customer's purchases to make up for lost webhooks.
///
/// The key, the customer's id and the answers are never logged.
public struct RevenueCatAPI: Sendable {
    private let configuration: RevenueCatAPIConfiguration
    private let host: StoreHost
    private let logger: Logger
    private let wallClock: @Sendable () -> Date

    /// Creates a client; copies of it share the circuit breaker.
    /// - Parameters:
    ///   - configuration: The key, the server and the limits.
    ///   - httpClient: The client that sends the calls.
    ///   - logger: Logs the status of failures.
    ///   - wallClock: The wallet's clock, for answers without a date.
    ///   - monotonicClock: The clock of the circuit breaker and the deadline.
    public init(
        configuration: RevenueCatAPIConfiguration,
        httpClient: HTTPClient,
        logger: Logger,
        wallClock: @escaping @Sendable () -> Date = { Date() },
        monotonicClock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.configuration = configuration
        self.host = StoreHost(
            name: "revenuecat",
            limits: configuration.limits,
            httpClient: httpClient,
            logger: logger,
            monotonicClock: monotonicClock
        )
        self.logger = logger
        self.wallClock = wallClock
    }

    /// Returns a customer's current purchases at RevenueCat.
    ///
    /// RevenueCat creates a customer for an unknown id when it is requested, so pass only ids that RevenueCat or the
    /// customer sent. One-time purchases without the store's id are left out, since they could not be matched with the
    /// webhook about the same purchase.
    /// - Parameter id: The customer's user id.
    /// - Returns: One fact per purchase, attributed to the id; empty for an unknown customer.
    /// - Throws: ``StoreError``: `misconfigured` if RevenueCat refuses the key, `rateLimited` and `unavailable` with
    ///   the seconds to wait.
    public func statements(ofUser id: String) async throws(StoreError) -> [StoreEvent.AttributedFact] {
        guard !self.configuration.secretKey.isEmpty else { throw StoreError(.misconfigured) }
        guard let segment = StorePath.segment(id) else { return [] }
        let request = StoreCall.Request(
            method: .GET,
            url: "\(self.configuration.baseURL)/v1/subscribers/\(segment)",
            headers: [("authorization", "Bearer \(self.configuration.secretKey)")],
            operation: .revenueCatCustomer
        )
        let answer = try await self.host.answer(to: request)
        guard try self.isCustomer(answer) else { return [] }
        return try self.facts(in: answer).map { .init(fact: $0, owners: [id]) }
    }

    private func isCustomer(_ answer: StoreHost.Answer) throws(StoreError) -> Bool {
        switch answer.status {
        case 200, 201: return true
        // A 404 without RevenueCat's error code is not from RevenueCat, for example from a proxy.
        case 404 where (try? StoreDocument(parsing: answer.body).integer("code")) != nil: return false
        case 401, 403:
            self.logger.error("RevenueCat rejected our API key", metadata: ["status": "\(answer.status)"])
            throw StoreError(.misconfigured, storeStatus: answer.status)
        case 429: throw self.error(.rateLimited, answer)
        default: throw self.error(.unavailable, answer)
        }
    }

    private func facts(in answer: StoreHost.Answer) throws(StoreError) -> [StoreFact] {
        guard let customer = RevenueCatCustomer(answer.body, now: self.wallClock()) else {
            self.logger.warning("RevenueCat returned a response that is not a customer")
            throw self.error(.unavailable, answer)
        }
        if customer.unreadable > 0 {
            let count: Logger.Metadata = ["count": "\(customer.unreadable)"]
            self.logger.warning("RevenueCat returned purchases that cannot be read", metadata: count)
        }
        return customer.facts
    }

    private func error(_ code: StoreError.Code, _ answer: StoreHost.Answer) -> StoreError {
        let seconds = answer.retryAfter ?? self.configuration.limits.retryAfter
        return StoreError(code, storeStatus: answer.status, retryAfter: seconds)
    }
}
