public import AsyncHTTPClient
public import Foundation
import JSON
public import Logging
import NIOHTTP1

/// Verifies App Store receipts with the store's verification endpoint (the verifyReceipt protocol).
///
/// A receipt is sent to production first, and to the sandbox if production identifies it as a sandbox receipt, since
/// App Review buys in the sandbox against production servers. Concurrent calls with the same receipt share one store
/// call, which continues if one of the callers is cancelled. Refused receipts are answered from a cache for a while,
/// and an unavailable endpoint is not called for a while. So forged receipts and outages do not slow down other users.
/// Receipts, secrets and answers are never logged.
public struct AppStoreReceiptVerifier: Sendable {
    private let configuration: AppStoreReceiptConfiguration
    private let logger: Logger
    private let wallClock: @Sendable () -> Date
    private let production: StoreHost
    private let sandbox: StoreHost
    private let refusals: ReceiptMemory<StoreError>
    private let recent: ReceiptMemory<VerifiedReceipt>
    private let flights = SingleFlight<VerifiedReceipt>()

    /// Creates a verifier; copies of it share its caches and its circuit breakers.
    /// - Parameters:
    ///   - configuration: The endpoints, the apps and the limits.
    ///   - httpClient: The client that sends the calls. Its pool should allow as many connections per host as there are
    ///     concurrent verifications, since waiting for a connection counts against the call's timeout. Redirects are
    ///     never followed, regardless of the client's setting.
    ///   - logger: Logs the store environment, status and attempt of failures.
    ///   - wallClock: The wallet's clock, for answers without a date.
    ///   - monotonicClock: The clock of the circuit breakers, the caches and the deadline.
    public init(
        configuration: AppStoreReceiptConfiguration,
        httpClient: HTTPClient,
        logger: Logger,
        wallClock: @escaping @Sendable () -> Date = { Date() },
        monotonicClock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.configuration = configuration
        self.logger = logger
        self.wallClock = wallClock
        let host = { (environment: StoreEnvironment) in
            StoreHost(
                name: "App Store receipts, \(environment)",
                limits: configuration.limits,
                httpClient: httpClient,
                logger: logger,
                monotonicClock: monotonicClock
            )
        }
        self.production = host(.production)
        self.sandbox = host(.sandbox)
        self.refusals = ReceiptMemory(
            capacity: configuration.refusalCapacity,
            lifetime: configuration.refusalLifetime,
            now: monotonicClock
        )
        self.recent = ReceiptMemory(
            capacity: configuration.recentCapacity,
            lifetime: configuration.recentLifetime,
            now: monotonicClock
        )
    }

    /// Verifies a receipt and returns the facts that it proves.
    ///
    /// The store is not called for a recently refused receipt, and concurrent calls with the same receipt share one
    /// store call. If `permit` denies the call, a receipt that was verified in the last minute is answered from the
    /// cache. This is safe because facts are absolute, so applying them again changes nothing.
    ///
    /// The verifier does not decide who owns each transaction; the database does.
    /// - Parameters:
    ///   - receipt: The receipt in base64, as the app sent it.
    ///   - permit: Returns `true` if the store may be called for this caller. It is called at most once, and only
    ///     before a store call.
    /// - Returns: The verified receipt; its facts are empty if the receipt contains no purchases.
    /// - Throws: ``StoreError``: `malformedReceipt`, `unsignedTransaction`, `rejected`, `wrongApp`, `notPermitted`,
    ///   `unavailable` with the seconds to wait, `misconfigured`. A cancelled caller gets `unavailable`.
    public func verify(
        receipt: String,
        permit: @Sendable () -> Bool = { true }
    ) async throws(StoreError) -> VerifiedReceipt {
        let input = try ReceiptInput(receipt, maximumBytes: self.configuration.maximumReceiptBytes)
        if let refusal = self.refusals.value(of: input.sha256) { throw refusal }
        guard self.flights.isUnderWay(input.sha256) || permit() else {
            guard let recent = self.recent.value(of: input.sha256) else { throw StoreError(.notPermitted) }
            return recent
        }
        let outcome = await self.flights.run(input.sha256) { await self.askStore(about: input) }
        return try outcome.get()
    }

    private enum Reply {
        case ok(VerifyReceiptAnswer)
        case otherSide
        case failed(StoreError)
    }

    /// Sends the receipt to production, then to the environment that the store names, until one confirms or refuses it.
    ///
    /// The environment changes at most twice: to the sandbox, and back to production if the sandbox redirects the
    /// receipt.
    private func askStore(about input: ReceiptInput) async -> Result<VerifiedReceipt, StoreError> {
        let deadline = self.production.deadline
        var side = StoreEnvironment.production
        for _ in 0..<3 {
            switch await self.ask(side, about: input, until: deadline) {
            case .ok(let answer):
                return self.remembering(self.read(answer, of: input, from: side), of: input)
            case .failed(let error):
                return self.remembering(.failure(error), of: input)
            case .otherSide:
                side = side == .production ? .sandbox : .production
            }
        }
        self.logger.error("production and sandbox each redirected the receipt to the other")
        return .failure(StoreError(.unavailable, retryAfter: self.configuration.limits.retryAfter))
    }

    private func ask(
        _ side: StoreEnvironment,
        about input: ReceiptInput,
        until deadline: ContinuousClock.Instant
    ) async -> Reply {
        guard let request = self.request(to: side, about: input) else { return .failed(StoreError(.misconfigured)) }
        let host = side == .production ? self.production : self.sandbox
        var doubtful = 0
        do {
            return try await host.ask(request, until: deadline) { outcome in
                let (judgement, isDoubtful) = self.judge(outcome, from: side, of: host)
                doubtful += isDoubtful ? 1 : 0
                // Status 21002 means a malformed receipt or a temporary failure; the second 21002 is taken as
                // malformed.
                guard doubtful == 2, case .again(let error, _, _) = judgement else { return judgement }
                return .over(.failed(StoreError(.rejected, storeStatus: error.storeStatus)))
            }
        } catch {
            return .failed(error)
        }
    }

    private func request(to side: StoreEnvironment, about input: ReceiptInput) -> StoreCall.Request? {
        let request = VerifyReceiptRequest(receiptData: input.base64, password: self.configuration.sharedSecret)
        guard let body = try? request.encoded() else { return nil }
        return StoreCall.Request(
            method: .POST,
            url: self.configuration.url(of: side),
            headers: [("content-type", "application/json")],
            body: body,
            operation: .verifyReceipt
        )
    }

    private func judge(
        _ outcome: StoreCall.Outcome,
        from side: StoreEnvironment,
        of host: StoreHost
    ) -> (StoreHost.Judgement<Reply>, isDoubtful: Bool) {
        switch outcome {
        case .unreachable: return (.again(host.unavailable(), .outage, seconds: nil), false)
        case .unusable: return (.again(host.unavailable(), .inconclusive, seconds: nil), false)
        case .answered(200, _, let body):
            guard let answer = try? JSONDecoder().decode(VerifyReceiptAnswer.self, external: body) else {
                return (.again(host.unavailable(), .inconclusive, seconds: nil), false)
            }
            let verdict = VerifyReceiptVerdict(of: answer, from: side)
            return (self.judge(answer, verdict, of: host), verdict == .retryOnce)
        case .answered(let status, let retryAfter, _):
            let health: CircuitBreaker.Outcome = status >= 500 ? .outage : .inconclusive
            return (.again(host.unavailable(retryAfter: retryAfter), health, seconds: nil), false)
        }
    }

    private func judge(
        _ answer: VerifyReceiptAnswer,
        _ verdict: VerifyReceiptVerdict,
        of host: StoreHost
    ) -> StoreHost.Judgement<Reply> {
        switch verdict {
        case .ok: return .over(.ok(answer), verdict.health)
        case .otherSide: return .over(.otherSide, verdict.health)
        case .rejected: return .over(.failed(StoreError(.rejected, storeStatus: answer.status)), verdict.health)
        case .misconfigured:
            self.logger.error(
                "the App Store rejected our request: check the shared secret",
                metadata: ["status": "\(answer.status)"]
            )
            return .over(.failed(StoreError(.misconfigured, storeStatus: answer.status)), verdict.health)
        case .again, .nonsense, .retryOnce:
            return .again(host.unavailable(status: answer.status), verdict.health, seconds: nil)
        }
    }

    private func read(_ answer: VerifyReceiptAnswer, of input: ReceiptInput, from side: StoreEnvironment)
        -> Result<VerifiedReceipt, StoreError>
    {
        do {
            let reading = try ReceiptReading(
                of: answer,
                environment: side,
                receiptSHA256: input.sha256,
                now: self.wallClock()
            )
            guard try reading.agreesOnEnvironment() else { throw StoreRecord.Unreadable() }
            let bundleID = try reading.bundleID()
            guard self.configuration.bundleIDs.contains(bundleID) else { return .failure(StoreError(.wrongApp)) }
            return .success(VerifiedReceipt(reading, bundleID: bundleID))
        } catch {
            self.logger.error(
                "the App Store accepted a receipt, but its response is inconsistent",
                metadata: [
                    "side": "\(side)"
                ]
            )
            return .failure(
                StoreError(.unavailable, storeStatus: answer.status, retryAfter: self.configuration.limits.retryAfter)
            )
        }
    }

    private func remembering(_ outcome: Result<VerifiedReceipt, StoreError>, of input: ReceiptInput)
        -> Result<VerifiedReceipt, StoreError>
    {
        switch outcome {
        case .success(let receipt): self.recent.remember(receipt, of: input.sha256)
        case .failure(let error) where error.code == .rejected || error.code == .wrongApp:
            self.refusals.remember(error, of: input.sha256)
        case .failure: break
        }
        return outcome
    }
}

/// A receipt that the store confirmed, converted to facts.
public struct VerifiedReceipt: Sendable, Equatable {
    /// A transaction of the receipt that could not be converted to a fact.
    public struct SkippedTransaction: Sendable, Equatable {
        /// The reason why a transaction was skipped.
        public enum Reason: String, Sendable, Hashable {
            /// An identifier, the product or the purchase instant is missing or cannot be read.
            case malformed = "malformed-transaction"
            /// The quantity is outside the range that the store sells: 1 to 10.
            case quantityOutOfRange = "quantity-out-of-range"
        }

        /// The store's id of the transaction, nil if the id cannot be read.
        public let transactionID: String?
        /// The reason why the transaction was skipped.
        public let reason: Reason
    }

    /// The store environment that confirmed the receipt.
    public let environment: StoreEnvironment
    /// The app that the receipt is for; one of the configured ones.
    public let bundleID: String
    /// One fact per transaction, oldest purchase first; empty for a receipt without purchases.
    public let facts: [StoreFact]
    /// The skipped transactions, so that the caller can report them.
    public let skipped: [SkippedTransaction]
    /// SHA-256 of the receipt's bytes as lower-case hex; the database stores it instead of the receipt.
    public let receiptSHA256: String
    /// The time of the store's answer, by the store's clock.
    public let requestedAt: Date
}

extension VerifiedReceipt {
    fileprivate init(_ reading: ReceiptReading, bundleID: String) {
        self.environment = reading.environment
        self.bundleID = bundleID
        self.facts = reading.facts.listingProductsOfChains()
        self.skipped = reading.skipped
        self.receiptSHA256 = reading.receiptSHA256
        self.requestedAt = reading.requestedAt
    }
}

/// The body of a call to the verification endpoint.
private struct VerifyReceiptRequest: Encodable {
    let receiptData: String
    let password: String?
    /// Always false: the answer must include all periods, not only the newest, since older ones may not have been
    /// submitted yet.
    let excludeOldTransactions = false

    private enum CodingKeys: String, CodingKey {
        case receiptData = "receipt-data"
        case password
        case excludeOldTransactions = "exclude-old-transactions"
    }

    func encoded() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return try encoder.encode(self)
    }
}
