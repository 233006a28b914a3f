public import AsyncHTTPClient
public import Foundation
public import Logging

/// A client of the Google Play Developer API: looks up purchases and acknowledges their delivery.
///
/// A purchase token from an app proves nothing by itself: only Google's answer determines the product, the quantity and
/// the environment. Tokens, orders and answers are never logged.
public struct GooglePlayAPI: Sendable {
    let configuration: GooglePlayConfiguration
    let host: StoreHost
    let access: GooglePlayAccess
    let logger: Logger
    let wallClock: @Sendable () -> Date

    /// Creates a client; copies of it share the access token and the circuit breakers.
    /// - Parameters:
    ///   - configuration: The app, the service account, the servers and the limits.
    ///   - httpClient: The client that sends the calls.
    ///   - logger: Logs the status of failures.
    ///   - wallClock: The clock for dating answers and signing token requests; Google refuses requests if it is off by
    ///     minutes.
    ///   - monotonicClock: The clock of the circuit breakers, the deadline and the access token.
    public init(
        configuration: GooglePlayConfiguration,
        httpClient: HTTPClient,
        logger: Logger,
        wallClock: @escaping @Sendable () -> Date = { Date() },
        monotonicClock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        func host(_ name: String) -> StoreHost {
            StoreHost(
                name: name,
                limits: configuration.limits,
                httpClient: httpClient,
                logger: logger,
                monotonicClock: monotonicClock
            )
        }
        self.configuration = configuration
        self.host = host("google-play")
        self.access = GooglePlayAccess(
            configuration: configuration,
            host: host("google-oauth"),
            wallClock: wallClock
        )
        self.logger = logger
        self.wallClock = wallClock
    }

    /// Returns the state of a one-time purchase.
    /// - Parameters:
    ///   - productID: The product that the app reports as bought.
    ///   - token: The purchase token.
    /// - Returns: The purchase; a pending one is marked as pending, a cancelled one as refunded.
    /// - Throws: ``StoreError``: `notFound`, `rejected` if the token belongs to another product, `misconfigured`,
    ///   `unavailable`, also for an answer that cannot be read.
    public func product(productID: String, token: String) async throws(StoreError) -> StoreFact {
        let path = try self.path("purchases/products", productID, "tokens", token)
        let answer = try await self.document(from: path, for: .playProduct)
        let purchase = GooglePlayProduct(answer: answer, token: token, answeredAt: self.wallClock())
        return try self.read { () throws(StoreError) in try purchase.fact(of: productID) }
    }

    /// Returns the state of a one-time purchase with all products of its token.
    ///
    /// Only the newer endpoint lists all products. If it does not find the purchase, the older one is called with the
    /// product id.
    /// - Parameters:
    ///   - productID: The product that the app or a notification reports as bought, if any.
    ///   - token: The purchase token.
    /// - Returns: One fact per product.
    /// - Throws: ``StoreError``: `notFound`, `rejected` if the token belongs to another product, `misconfigured`,
    ///   `unavailable`, also for an answer that cannot be read.
    public func purchase(productID: String?, token: String) async throws(StoreError) -> [StoreFact] {
        do throws(StoreError) {
            let facts = try await self.products(token: token)
            guard let productID, !facts.contains(where: { $0.storeProductID == productID }) else { return facts }
        } catch {
            guard let productID, error.code == .notFound || error.code == .rejected else { throw error }
            return [try await self.product(productID: productID, token: token)]
        }
        throw StoreError(.rejected)
    }

    /// Returns the state of a one-time purchase of which only the token is known.
    /// - Parameter token: The purchase token.
    /// - Returns: One fact per product.
    /// - Throws: ``StoreError``: `notFound`, `misconfigured`, `unavailable`, also for an answer that cannot be read.
    public func products(token: String) async throws(StoreError) -> [StoreFact] {
        let path = try self.path("purchases/productsv2/tokens", token)
        let answer = try await self.document(from: path, for: .playProduct)
        let purchase = GooglePlayProductV2(answer: answer, token: token, answeredAt: self.wallClock())
        return try self.read { () throws(StoreError) in try purchase.facts() }
    }

    /// Returns the state of a subscription: its newest paid period with its flags.
    ///
    /// Google reports the start of the subscription and the end of the period, but not the start of the period. The
    /// start of a renewal is computed from these two and the number in its order id, unless a notification dates it.
    /// - Parameters:
    ///   - token: The purchase token, the same for all periods.
    ///   - renewedAt: The renewal time from a notification; ignored if it cannot belong to this period.
    /// - Returns: One fact per line item.
    /// - Throws: ``StoreError``: `notFound`, `misconfigured`, `unavailable`, also for an answer that cannot be read.
    public func subscription(token: String, renewedAt: Date? = nil) async throws(StoreError) -> [StoreFact] {
        let answer = try await self.subscriptionAnswer(token: token, renewedAt: renewedAt)
        return try self.read { () throws(StoreError) in try answer.facts() }
    }

    func subscriptionAnswer(token: String, renewedAt: Date?) async throws(StoreError) -> GooglePlaySubscription {
        let path = try self.path("purchases/subscriptionsv2/tokens", token)
        let answer = try await self.document(from: path, for: .playSubscription)
        return GooglePlaySubscription(
            answer: answer,
            token: token,
            renewedAt: renewedAt,
            answeredAt: self.wallClock()
        )
    }
}
