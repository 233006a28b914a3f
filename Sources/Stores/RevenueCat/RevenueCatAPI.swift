public import AsyncHTTPClient
public import Foundation
public import Logging
import NIOHTTP1

/// Asks RevenueCat what it knows of a customer's purchases, for catching up on webhooks that never came.
///
/// The key, the customer's id and the answers are never logged.
public struct RevenueCatAPI: Sendable {
    private let configuration: RevenueCatAPIConfiguration
    private let host: StoreHost
    private let logger: Logger
    private let wallClock: @Sendable () -> Date

    /// Creates a client; copies of it share the circuit breaker.
    /// - Parameters:
    ///   - configuration: the key, the server and the limits.
    ///   - httpClient: carries the calls.
    ///   - logger: gets the status of failures.
    ///   - wallClock: the wallet's clock, for answers that carry no date.
    ///   - monotonicClock: the clock of the circuit breaker and of the deadline.
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

    /// Returns what RevenueCat knows of a customer's purchases now.
    ///
    /// An id that RevenueCat never saw becomes a customer there by being asked for: ask only for ids that it or the
    /// customer named. Purchases made once that come without the store's own id are left out, since the webhook about
    /// the same purchase could not be matched with it.
    /// - Parameter id: the customer's user id.
    /// - Returns: one statement a purchase, owned by the id; none for an unknown customer.
    /// - Throws: ``StoreError``: `misconfigured` where the key is refused, `rateLimited` and `unavailable` with the
    ///   seconds to wait.
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
        // Without RevenueCat's own code it is somebody else who knows no such page.
        case 404 where (try? StoreDocument(parsing: answer.body).integer("code")) != nil: return false
        case 401, 403:
            self.logger.error("RevenueCat refuses our key", metadata: ["status": "\(answer.status)"])
            throw StoreError(.misconfigured, storeStatus: answer.status)
        case 429: throw self.error(.rateLimited, answer)
        default: throw self.error(.unavailable, answer)
        }
    }

    private func facts(in answer: StoreHost.Answer) throws(StoreError) -> [StoreFact] {
        guard let customer = RevenueCatCustomer(answer.body, now: self.wallClock()) else {
            self.logger.warning("RevenueCat answered something that is no customer")
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
