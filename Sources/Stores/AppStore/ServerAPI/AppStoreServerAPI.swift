public import AsyncHTTPClient
public import Foundation
import JSON
public import Logging
import NIOHTTP1

/// A client of the App Store Server API: looks up purchases and sends the information that the store requests.
///
/// A request goes to production first, and to the sandbox if production does not find the transaction or refuses the
/// token, since App Review and TestFlight buy in the sandbox. Answers contain signed data, which is verified and must
/// match the requested app, environment and transaction. Ids, tokens and answers are never logged.
public struct AppStoreServerAPI: Sendable {
    let configuration: AppStoreServerAPIConfiguration
    private let verifier: SignedDataVerifier
    let logger: Logger
    let tokens: AppStoreServerTokens
    let production: StoreHost
    let sandbox: StoreHost

    /// Creates a client; copies of it share its rate limit, its token and its circuit breakers.
    /// - Parameters:
    ///   - configuration: The hosts, the key, the app and the limits.
    ///   - verifier: Verifies the store's signed data; it must accept both store environments.
    ///   - httpClient: The client that sends the calls. Waiting for a connection counts against a call's timeout.
    ///   - logger: Logs the environment, attempt and status of failures.
    ///   - wallClock: The clock for the dates in tokens.
    ///   - monotonicClock: The clock of the rate limit, the circuit breakers and the deadline.
    /// - Throws: ``StoreError`` `misconfigured` if the private key cannot be read or a name is empty.
    public init(
        configuration: AppStoreServerAPIConfiguration,
        verifier: SignedDataVerifier,
        httpClient: HTTPClient,
        logger: Logger,
        wallClock: @escaping @Sendable () -> Date = { Date() },
        monotonicClock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) throws(StoreError) {
        self.configuration = configuration
        self.verifier = verifier
        self.logger = logger
        self.tokens = try AppStoreServerTokens(configuration: configuration, now: wallClock)
        let host = { (environment: StoreEnvironment) in
            StoreHost(
                name: "App Store Server API, \(environment)",
                limits: configuration.limits,
                pace: configuration.callsPerSecond,
                httpClient: httpClient,
                logger: logger,
                monotonicClock: monotonicClock
            )
        }
        self.production = host(.production)
        self.sandbox = host(.sandbox)
    }

    /// Returns one transaction of any kind, finished or not.
    ///
    /// A client that sends a transaction id does not prove a purchase by it: the transaction's account token determines
    /// the owner.
    /// - Parameter id: The transaction's id.
    /// - Returns: The transaction as the store signed it.
    /// - Throws: ``StoreError``: `notFound`, `rejected` with the store's code, `rateLimited` and `unavailable` with the
    ///   seconds to wait, `misconfigured`. An answer that cannot be read, does not match the request or is not signed
    ///   by the store also throws `unavailable`.
    public func transaction(_ id: String) async throws(StoreError) -> SignedTransaction {
        let question = AppStoreServerQuestion(
            operation: .appStoreTransaction,
            path: "/inApps/v1/transactions/\(try Self.segment(id))"
        )
        let (body, side) = try await self.ask(question)
        let answer = try self.read(AppStoreTransactionAnswer.self, from: body)
        let transaction = try await self.verified(answer.signedTransactionInfo, of: side)
        guard transaction.payload.transactionId == id else { throw self.disagreement("transaction id", of: side) }
        guard (try? transaction.fact(source: .serverAPI)) != nil else { throw self.disagreement("form", of: side) }
        return transaction
    }

    /// Returns all purchases that a customer ever made in the app, including finished consumables.
    ///
    /// Reads all pages; the environment that answers the first page also answers the others.
    /// - Parameter anyTransactionID: The id of any of the customer's transactions.
    /// - Returns: One fact per transaction, in the store's order.
    /// - Throws: ``StoreError`` as for ``transaction(_:)``; `unavailable` if a page repeats or there are too many
    ///   pages.
    public func history(of anyTransactionID: String) async throws(StoreError) -> [StoreFact] {
        let path = "/inApps/v2/history/\(try Self.segment(anyTransactionID))"
        var question = AppStoreServerQuestion(operation: .appStoreTransactions, path: path)
        let (body, side) = try await self.ask(question)
        var page = try self.read(AppStoreTransactionsAnswer.self, from: body)
        var facts = try await self.facts(of: page, from: side)
        var revisions: Set<String> = []
        while page.hasMore {
            guard let revision = page.revision, let segment = StorePath.segment(revision),
                revisions.insert(revision).inserted, revisions.count < self.configuration.maximumPages
            else { throw self.disagreement("revision", of: side) }
            question.path = "\(path)?revision=\(segment)"
            let body = try await self.ask(question, of: side)
            page = try self.read(AppStoreTransactionsAnswer.self, from: body)
            facts += try await self.facts(of: page, from: side)
        }
        return facts
    }

    private func facts(
        of page: AppStoreTransactionsAnswer,
        from side: StoreEnvironment
    ) async throws(StoreError) -> [StoreFact] {
        try self.expectAgreement(bundleID: page.bundleID, environment: page.environment, of: side)
        return try await self.facts(from: page.signedTransactions, of: side)
    }

    /// Returns the status of a customer's subscriptions.
    /// - Parameter anyTransactionID: The id of any of the customer's transactions.
    /// - Returns: One fact per subscription: its latest period with its renewal, billing and expiry status.
    /// - Throws: ``StoreError`` as for ``transaction(_:)``.
    public func subscriptions(of anyTransactionID: String) async throws(StoreError) -> [StoreFact] {
        let question = AppStoreServerQuestion(
            operation: .appStoreSubscriptions,
            path: "/inApps/v1/subscriptions/\(try Self.segment(anyTransactionID))"
        )
        let (body, side) = try await self.ask(question)
        let answer = try self.read(AppStoreSubscriptionsAnswer.self, from: body)
        try self.expectAgreement(bundleID: answer.bundleID, environment: answer.environment, of: side)
        var facts: [StoreFact] = []
        for subscription in answer.data.flatMap(\.lastTransactions) {
            facts.append(try await self.fact(of: subscription, from: side))
        }
        return facts
    }

    private func fact(
        of subscription: AppStoreSubscriptionsAnswer.Subscription,
        from side: StoreEnvironment
    ) async throws(StoreError) -> StoreFact {
        let transaction = try await self.verified(subscription.signedTransactionInfo, of: side)
        var fact = try await self.believing { () throws(StoreError) in try transaction.fact(source: .serverAPI) }
        let original = subscription.originalTransactionID
        guard original == nil || original == fact.originalTransactionID else {
            throw self.disagreement("original transaction id", of: side)
        }
        if let signed = subscription.signedRenewalInfo {
            let renewal = try await self.believing { () throws(StoreError) in
                try await self.verifier.renewalInfo(signed)
            }
            guard renewal.payload.environment?.side == side else { throw self.disagreement("environment", of: side) }
            guard renewal.payload.originalTransactionId == fact.originalTransactionID else {
                throw self.disagreement("original transaction id", of: side)
            }
            renewal.overlay(on: &fact)
        }
        subscription.overlay(on: &fact)
        return fact
    }

    /// One page of the notifications that the store sent or tried to send.
    public struct NotificationPage: Sendable {
        /// The notifications as the store signed them, not verified yet.
        public let signedPayloads: [String]
        /// The token of the next page; nil on the last page.
        public let next: String?
    }

    private struct Span: Encodable {
        let startDate: Int64
        let endDate: Int64
    }

    private struct Answer: Decodable {
        struct Item: Decodable {
            let signedPayload: String
        }

        let notificationHistory: [Item]
        let hasMore: Bool
        let paginationToken: String?
    }

    /// Returns a page of the notifications of a time span, whether they were delivered or not.
    ///
    /// The store keeps notifications for 180 days.
    /// - Parameters:
    ///   - start: The beginning of the span.
    ///   - end: The end of the span.
    ///   - environment: The store environment.
    ///   - page: The `next` token of the previous page; nil for the first page.
    /// - Returns: A page of notifications.
    /// - Throws: ``StoreError`` as for ``transaction(_:)``.
    public func notifications(
        from start: Date,
        to end: Date,
        on environment: StoreEnvironment,
        page: String? = nil
    ) async throws(StoreError) -> NotificationPage {
        let span = Span(startDate: start.millisecondsSince1970, endDate: end.millisecondsSince1970)
        guard let body = try? JSONEncoder().encode(span) else { throw StoreError(.unreadable) }
        var path = "/inApps/v1/notifications/history"
        if let page { path += "?paginationToken=\(try Self.segment(page))" }
        let question = AppStoreServerQuestion(operation: .appStoreNotifications, method: .POST, path: path, body: body)
        let answer = try self.read(Answer.self, from: try await self.ask(question, of: environment))
        guard answer.hasMore else {
            return NotificationPage(signedPayloads: answer.notificationHistory.map(\.signedPayload), next: nil)
        }
        guard let next = answer.paginationToken, next != page else {
            throw self.disagreement("paginationToken", of: environment)
        }
        return NotificationPage(signedPayloads: answer.notificationHistory.map(\.signedPayload), next: next)
    }

    /// Escapes an id for a path; throws `notFound` for text that cannot be a store id.
    static func segment(_ id: String) throws(StoreError) -> String {
        guard let segment = StorePath.segment(id) else { throw StoreError(.notFound) }
        return segment
    }

    /// Decodes an answer's body.
    private func read<Answer: Decodable>(_ type: Answer.Type, from body: Data) throws(StoreError) -> Answer {
        do {
            return try JSONDecoder().decode(type, external: body)
        } catch {
            self.logger.error(
                "the App Store Server API returned a response in an unknown format",
                metadata: ["answer": "\(type)"]
            )
            throw self.noAnswer
        }
    }

    /// Verifies a transaction of an answer.
    ///
    /// The environment in the data must be the one that was called, even if the verifier maps the data to the sandbox
    /// because of its root certificate.
    private func verified(_ jws: String, of side: StoreEnvironment) async throws(StoreError) -> SignedTransaction {
        let transaction = try await self.believing { () throws(StoreError) in try await self.verifier.transaction(jws) }
        guard transaction.payload.environment?.side == side else { throw self.disagreement("environment", of: side) }
        guard transaction.payload.bundleId == self.configuration.bundleID else {
            throw self.disagreement("bundle id", of: side)
        }
        return transaction
    }

    /// Verifies a part of an answer; maps an invalid part to `unavailable`, since the requested transaction is not at
    /// fault.
    private func believing<Part: Sendable>(
        _ verify: () async throws(StoreError) -> Part
    ) async throws(StoreError) -> Part {
        do throws(StoreError) {
            return try await verify()
        } catch {
            guard error.code != .unavailable, error.code != .misconfigured else { throw error }
            self.logger.error(
                "the App Store Server API returned a response without a valid signature",
                metadata: ["error": "\(error.code)"]
            )
            throw self.noAnswer
        }
    }

    /// Verifies the transactions of one page.
    ///
    /// A transaction of an unknown form is skipped and counted, so that the others are still returned.
    private func facts(from list: [String], of side: StoreEnvironment) async throws(StoreError) -> [StoreFact] {
        var facts: [StoreFact] = []
        for jws in list {
            let transaction = try await self.verified(jws, of: side)
            guard var fact = try? transaction.fact(source: .serverAPI) else { continue }
            if fact.kind == .subscription { fact.occasion = .renewal }
            facts.append(fact)
        }
        if facts.count < list.count {
            self.logger.warning(
                "App Store transactions could not be read",
                metadata: ["side": "\(side)", "count": "\(list.count - facts.count)"]
            )
        }
        return facts
    }

    /// Rejects an answer whose unsigned members name another app or environment than the requested one.
    private func expectAgreement(
        bundleID: String?,
        environment: String?,
        of side: StoreEnvironment
    ) throws(StoreError) {
        let isOtherApp = bundleID.map { $0 != self.configuration.bundleID } ?? false
        if isOtherApp { throw self.disagreement("bundle id", of: side) }
        let isOtherSide = environment.map { $0.lowercased() != side.rawValue } ?? false
        if isOtherSide { throw self.disagreement("environment", of: side) }
    }

    private func disagreement(_ member: String, of side: StoreEnvironment) -> StoreError {
        self.logger.error(
            "the App Store Server API returned a response that does not match the request",
            metadata: ["side": "\(side)", "member": "\(member)"]
        )
        return self.noAnswer
    }

    /// The error for an unusable answer: it gives no information about the purchase, so the request must be repeated
    /// later.
    private var noAnswer: StoreError { StoreError(.unavailable, retryAfter: self.configuration.limits.retryAfter) }
}

/// The answer about one transaction.
struct AppStoreTransactionAnswer: Decodable, Sendable {
    let signedTransactionInfo: String
}

/// One page of a list of transactions: of the history, or of the refunds, whose pages omit the app.
struct AppStoreTransactionsAnswer: Decodable, Sendable {
    private enum CodingKeys: String, CodingKey {
        case revision
        case hasMore
        case bundleID = "bundleId"
        case environment
        case signedTransactions
    }

    /// The token of the next page.
    let revision: String?
    let hasMore: Bool
    let bundleID: String?
    let environment: String?
    let signedTransactions: [String]
}

/// The answer about all subscriptions of a customer.
struct AppStoreSubscriptionsAnswer: Decodable, Sendable {
    /// The subscriptions of one group; a customer has at most one active subscription per group.
    struct Group: Decodable, Sendable {
        let lastTransactions: [Subscription]
    }

    /// The status of one subscription.
    struct Subscription: Decodable, Sendable {
        private enum CodingKeys: String, CodingKey {
            case status
            case originalTransactionID = "originalTransactionId"
            case signedTransactionInfo
            case signedRenewalInfo
        }

        /// 1 active, 2 expired, 3 billing retry, 4 grace, 5 revoked.
        let status: Int
        let originalTransactionID: String?
        let signedTransactionInfo: String
        let signedRenewalInfo: String?
    }

    private enum CodingKeys: String, CodingKey {
        case environment
        case bundleID = "bundleId"
        case data
    }

    let environment: String?
    let bundleID: String?
    let data: [Group]
}

extension AppStoreSubscriptionsAnswer.Subscription {
    /// Applies the store's status to a fact from the transaction and the renewal information.
    ///
    /// The status is current, so it also clears flags that are no longer true. It does not override a signed refund: a
    /// refunded revocation stays a refund.
    /// - Parameter fact: The subscription's latest period.
    func overlay(on fact: inout StoreFact) {
        fact.occasion = .renewal
        switch self.status {
        case 1:
            fact.billingIssue = false
        case 2:
            fact.expiredAt = fact.expiresAt
            fact.willRenew = false
        case 3, 4:
            fact.billingIssue = true
        case 5:
            if (fact.refundedMillionths ?? 0) == 0 { fact.revoked = true }
        default: return
        }
        fact.revoked = fact.revoked ?? false
    }
}
