public import AsyncHTTPClient
public import Foundation
public import Logging

/// Verifies App Store receipts with the store's verification endpoint (the verifyReceipt protocol).
///
/// A receipt is sent to production first, and to the sandbox if production identifies it as a sandbox receipt, since
/// App Review buys in the sandbox against production servers. Concurrent calls with the same receipt share one store
/// call, which continues if one of the callers is cancelled. Refused receipts are answered from a cache for a while,
/// and an unavailable endpoint is not called for a while. So forged receipts and outages do not slow down other users.
/// Receipts, secrets and answers are never logged.
public struct AppStoreReceiptVerifier: Sendable {
    let configuration: AppStoreReceiptConfiguration
    let logger: Logger
    let wallClock: @Sendable () -> Date
    let production: StoreHost
    let sandbox: StoreHost
    let refusals: ReceiptMemory<StoreError>
    let recent: ReceiptMemory<VerifiedReceipt>
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
}
