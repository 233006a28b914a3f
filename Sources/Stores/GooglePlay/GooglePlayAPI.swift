public import AsyncHTTPClient
public import Foundation
public import Logging

/// Asks Google Play about purchases, and acknowledges those that were delivered.
///
/// A purchase token from an app proves nothing by itself: what was bought, how often, and on which side of the store,
/// Google's answer alone decides. Tokens, orders and answers are never logged.
public struct GooglePlayAPI: Sendable {
    let configuration: GooglePlayConfiguration
    let host: StoreHost
    let access: GooglePlayAccess
    let logger: Logger
    let wallClock: @Sendable () -> Date

    /// Creates a client; copies of it share the access token and the circuit breakers.
    /// - Parameters:
    ///   - configuration: the app, the account, the servers and the limits.
    ///   - httpClient: carries the calls.
    ///   - logger: gets the status of failures.
    ///   - wallClock: the clock that dates answers and signs requests; Google refuses one that is wrong by minutes.
    ///   - monotonicClock: the clock of the circuit breakers, of the deadline and of the access token.
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

    /// Returns how a product that is bought once stands.
    /// - Parameters:
    ///   - productID: the product that the app says was bought.
    ///   - token: the purchase token.
    /// - Returns: the purchase; a pending one is marked so, a cancelled one as refunded.
    /// - Throws: ``StoreError``: `notFound`, `rejected` where the token is another product's, `misconfigured`,
    ///   `unavailable`, also for an answer that cannot be read.
    public func product(productID: String, token: String) async throws(StoreError) -> StoreFact {
        let path = try self.path("purchases/products", productID, "tokens", token)
        let answer = try await self.document(from: path, for: .playProduct)
        let purchase = GooglePlayProduct(answer: answer, token: token, answeredAt: self.wallClock())
        return try self.read { () throws(StoreError) in try purchase.fact(of: productID) }
    }

    /// Returns how a purchase of products that are bought once stands, with all products of its token.
    ///
    /// Only the newer answer lists them; a purchase that it does not know is asked for under its product.
    /// - Parameters:
    ///   - productID: the product that the app or a notification says was bought, if any.
    ///   - token: the purchase token.
    /// - Returns: one fact a product.
    /// - Throws: ``StoreError``: `notFound`, `rejected` where the token is another product's, `misconfigured`,
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

    /// Returns how a purchase of products that are bought once stands, where only the token is known.
    /// - Parameter token: the purchase token.
    /// - Returns: one fact a product.
    /// - Throws: ``StoreError``: `notFound`, `misconfigured`, `unavailable`, also for an answer that cannot be read.
    public func products(token: String) async throws(StoreError) -> [StoreFact] {
        let path = try self.path("purchases/productsv2/tokens", token)
        let answer = try await self.document(from: path, for: .playProduct)
        let purchase = GooglePlayProductV2(answer: answer, token: token, answeredAt: self.wallClock())
        return try self.read { () throws(StoreError) in try purchase.facts() }
    }

    /// Returns how a subscription stands: its newest paid period, with the flags.
    ///
    /// Google says when the subscription began and when the period ends, but not when the period began. That of a
    /// renewal is reckoned from those two and the number in its order id, unless a notification dates it.
    /// - Parameters:
    ///   - token: the purchase token, the same for all periods.
    ///   - renewedAt: when a notification said that it was renewed; passed over where it cannot be this period's.
    /// - Returns: one fact a line item.
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
