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

/// The endpoint, key and limits for calling RevenueCat.
public struct RevenueCatAPIConfiguration: Sendable {
    /// The vendor's server.
    public static let vendorBaseURL = "https://api.revenuecat.com"

    /// The secret API key, version 1.
    public var secretKey: String
    /// The base URL of the server, without a trailing slash.
    public var baseURL: String
    /// The timeouts, retries and circuit breaker settings of calls.
    public var limits: StoreCallLimits

    /// Creates a configuration.
    /// - Parameters:
    ///   - secretKey: The secret API key.
    ///   - baseURL: The base URL of the server.
    public init(secretKey: String, baseURL: String = Self.vendorBaseURL) {
        self.secretKey = secretKey
        self.baseURL = baseURL
        self.limits = StoreCallLimits()
    }

    /// A Boolean value that indicates whether the server is the vendor's own; another server should require the
    /// operator's explicit consent.
    public var usesVendorEndpoints: Bool { self.baseURL == Self.vendorBaseURL }
}

/// RevenueCat's answer about a customer.
struct RevenueCatCustomer {
    /// The facts of the readable purchases.
    private(set) var facts: [StoreFact] = []
    /// The number of unreadable purchases.
    private(set) var unreadable = 0

    private let reportedAt: Date

    /// Reads an answer.
    /// - Parameters:
    ///   - body: The answer's body.
    ///   - now: The time of receipt, for answers without a date.
    init?(_ body: Data, now: Date) {
        guard
            let answer = try? StoreDocument(parsing: body),
            let customer = try? answer.object("subscriber")
        else { return nil }
        self.reportedAt = (try? answer.milliseconds("request_date_ms")) ?? (try? answer.instant("request_date")) ?? now
        for (product, record) in customer["subscriptions"]?.sortedMembers ?? [] {
            self.add(try? self.subscription(product, record))
        }
        for (product, list) in customer["non_subscriptions"]?.sortedMembers ?? [] {
            guard let records = list.elements else {
                self.unreadable += 1
                continue
            }
            for record in records where record["store_transaction_id"] != nil {
                self.add(try? self.fact(product, record, kind: .oneTime))
            }
        }
        // A subscription and its add-ons have the same transaction id and purchase time.
        self.facts = self.facts.listingProducts { fact in
            [
                fact.store.rawValue, fact.environment.rawValue, fact.kind.rawValue, fact.transactionID,
                fact.purchasedAt.storeInstant,
            ]
        }
    }

    private mutating func add(_ fact: StoreFact?) {
        guard let fact else {
            self.unreadable += 1
            return
        }
        self.facts.append(fact)
    }

    private func subscription(_ product: String, _ record: StoreDocument) throws(StoreError) -> StoreFact {
        var fact = try self.fact(product, record, kind: .subscription)
        let plan = try record.text("product_plan_identifier")
        if let plan, fact.store == .playStore, !product.contains(":") { fact.storeProductID = "\(product):\(plan)" }
        fact.periodType = StoreFact.PeriodType(revenueCat: try record.text("period_type").orUnreadable())
        fact.expiresAt = try record.instant("expires_date")
        fact.ownership = try self.ownership(record)
        // A prepaid plan does not renew automatically.
        fact.willRenew = try record.instant("unsubscribe_detected_at") == nil && fact.periodType != .prepaid
        fact.billingIssue = try record.instant("billing_issues_detected_at") != nil
        fact.graceEndsAt = try record.instant("grace_period_expires_date")
        fact.occasion = .renewal
        // A pause takes effect at the period's end; before that it is only scheduled.
        if try record.instant("auto_resume_date") != nil, let end = fact.expiresAt, end <= self.reportedAt {
            fact.paused = true
        }
        return fact
    }

    private func ownership(_ record: StoreDocument) throws(StoreError) -> StoreFact.Ownership {
        switch try record.text("ownership_type") {
        case nil, "PURCHASED", "UNKNOWN": return .purchased
        case "FAMILY_SHARED": return .familyShared
        default: throw StoreError(.unreadable)
        }
    }

    /// Returns a fact with the members that both kinds of purchase have.
    ///
    /// The answer omits the chain of a transaction, except for Google Play, whose order ids contain it.
    private func fact(
        _ product: String,
        _ record: StoreDocument,
        kind: StoreFact.Kind
    ) throws(StoreError) -> StoreFact {
        var fact = StoreFact(
            store: StoreName(revenueCat: try record.text("store").orUnreadable()),
            environment: try record.flag("is_sandbox").orUnreadable() ? .sandbox : .production,
            transactionID: try record.identifier("store_transaction_id").orUnreadable(),
            storeProductID: product,
            kind: kind,
            purchasedAt: try record.instant("purchase_date").orUnreadable().boughtBefore(self.reportedAt),
            source: .serverAPI,
            sourceAt: self.reportedAt
        )
        if let refundedAt = try record.instant("refunded_at") {
            fact.refundedMillionths = 1_000_000
            fact.refundedAt = refundedAt
        }
        fact.nameOrder()
        return fact
    }
}
