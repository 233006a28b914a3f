public import AsyncHTTPClient
public import Foundation
public import Logging
import NIOHTTP1

/// A client of the Google Play Developer API: looks up purchases and acknowledges their delivery.
///
/// A purchase token from an app proves nothing by itself: only Google's answer determines the product, the quantity and
/// the environment. Tokens, orders and answers are never logged.
public struct GooglePlayAPI: Sendable {
    /// The reasons with which a 400 means that the requested change was already made.
    private static let doneReasons: Set<String> = [
        "invalidPurchaseState", "alreadyAcknowledged", "productAlreadyAcknowledged", "alreadyConsumed",
    ]
    /// The reasons with which a 403 means an exceeded quota instead of a missing permission.
    private static let quotaReasons: Set<String> = [
        "rateLimitExceeded", "userRateLimitExceeded", "quotaExceeded", "dailyLimitExceeded",
    ]

    let configuration: GooglePlayConfiguration
    private let host: StoreHost
    private let access: GooglePlayAccess
    private let logger: Logger
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

    /// Consumes a product, so that the user may buy it again.
    ///
    /// This also acknowledges the purchase; without it, the store refunds the purchase after three days. Repeating the
    /// call changes nothing.
    /// - Parameters:
    ///   - productID: The product.
    ///   - token: The purchase token.
    /// - Throws: ``StoreError``: `notFound`, `rejected` if the user no longer owns the purchase, `misconfigured`,
    ///   `unavailable`.
    public func consume(productID: String, token: String) async throws(StoreError) {
        try await self.settle("\(try self.path("purchases/products", productID, "tokens", token)):consume")
    }

    /// Acknowledges the delivery of a subscription; without it, the store refunds the purchase after three days.
    ///
    /// Repeating the call changes nothing.
    /// - Parameters:
    ///   - productID: The subscription, with or without its base plan after a colon.
    ///   - token: The purchase token.
    /// - Throws: ``StoreError``: `notFound`, `rejected` if the user no longer owns the purchase, `misconfigured`,
    ///   `unavailable`.
    public func acknowledgeSubscription(productID: String, token: String) async throws(StoreError) {
        let subscriptionID = String(productID.prefix { $0 != ":" })
        let path = try self.path("purchases/subscriptions", subscriptionID, "tokens", token)
        try await self.settle("\(path):acknowledge")
    }

    private func settle(_ url: String) async throws(StoreError) {
        let answer = try await self.answer(.POST, url, for: .playDelivery)
        if (200..<300).contains(answer.status) { return }
        if answer.status == 400, !Self.reasons(in: answer).isDisjoint(with: Self.doneReasons) { return }
        throw self.error(of: answer)
    }

    /// Returns the path of a resource of the app; every second part is an id.
    /// - Throws: ``StoreError`` `notFound` for text that cannot be an id.
    func path(_ parts: String...) throws(StoreError) -> String {
        var path = "\(self.configuration.baseURL)/androidpublisher/v3/applications"
        path += "/\(try Self.segment(self.configuration.packageName))"
        for (index, part) in parts.enumerated() {
            path += "/\(index.isMultiple(of: 2) ? part : try Self.segment(part))"
        }
        return path
    }

    private static func segment(_ id: String) throws(StoreError) -> String {
        guard let segment = StorePath.segment(id) else { throw StoreError(.notFound) }
        return segment
    }

    /// Returns the JSON document at a URL of the store.
    func document(from url: String, for operation: StoreOperation) async throws(StoreError) -> StoreDocument {
        let answer = try await self.answer(.GET, url, for: operation)
        guard (200..<300).contains(answer.status) else { throw self.error(of: answer) }
        guard let document = try? StoreDocument(parsing: answer.body) else { throw self.unavailable(answer) }
        return document
    }

    /// Sends a request with the current token, and once more with a new token if the store refuses the first.
    func answer(
        _ method: HTTPMethod,
        _ url: String,
        for operation: StoreOperation,
        body: Data = Data("{}".utf8)
    ) async throws(StoreError) -> StoreHost.Answer {
        var request = StoreCall.Request(method: method, url: url, operation: operation)
        if method == .POST { request.body = body }
        let token = try await self.access.token()
        let answer = try await self.answer(to: &request, token: token)
        guard answer.status == 401 else { return answer }
        self.access.forget(token)
        return try await self.answer(to: &request, token: try await self.access.token())
    }

    private func answer(
        to request: inout StoreCall.Request,
        token: String
    ) async throws(StoreError) -> StoreHost.Answer {
        request.headers = [("authorization", "Bearer \(token)")]
        if request.method == .POST {
            request.headers.append(("content-type", "application/json"))
        }
        return try await self.host.answer(to: request)
    }

    /// Reads an answer; an answer of another form throws `unavailable`, since the request must be repeated later.
    func read<Reading>(_ reading: () throws(StoreError) -> Reading) throws(StoreError) -> Reading {
        do throws(StoreError) {
            return try reading()
        } catch {
            guard error.code == .unreadable else { throw error }
            self.logger.error("Google Play returned a response in an unknown format")
            throw StoreError(.unavailable, retryAfter: self.configuration.limits.retryAfter)
        }
    }

    /// Returns the error for an answer other than 2xx; a 400, 404 or 410 without Google's error body is treated as
    /// temporary.
    func error(of answer: StoreHost.Answer) -> StoreError {
        switch answer.status {
        case 400 where !Self.isGoogles(answer), 404 where !Self.isGoogles(answer), 410 where !Self.isGoogles(answer):
            return self.unavailable(answer)
        case 404, 410: return StoreError(.notFound, storeStatus: answer.status)
        case 400: return StoreError(.rejected, storeStatus: answer.status)
        case 403 where !Self.reasons(in: answer).isDisjoint(with: Self.quotaReasons): return self.unavailable(answer)
        case 401, 403:
            let status: Logger.Metadata = ["status": "\(answer.status)"]
            self.logger.error("Google Play rejected our service account", metadata: status)
            return StoreError(.misconfigured, storeStatus: answer.status)
        default: return self.unavailable(answer)
        }
    }

    private func unavailable(_ answer: StoreHost.Answer) -> StoreError {
        let seconds = answer.retryAfter ?? self.configuration.limits.retryAfter
        return StoreError(.unavailable, storeStatus: answer.status, retryAfter: seconds)
    }

    /// Returns `true` if a refusal repeats its status in the body, as Google's refusals do.
    private static func isGoogles(_ answer: StoreHost.Answer) -> Bool {
        guard let error = (try? StoreDocument(parsing: answer.body))?["error"] else { return false }
        return (try? error.integer("code")) == Int64(answer.status)
    }

    /// Returns the reasons in an answer's error body.
    private static func reasons(in answer: StoreHost.Answer) -> Set<String> {
        guard
            let document = try? StoreDocument(parsing: answer.body),
            let errors = document["error"]?["errors"]?.elements
        else { return [] }
        return Set(errors.compactMap { try? $0.text("reason") })
    }
}
