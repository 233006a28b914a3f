public import AsyncHTTPClient
public import Foundation
public import Logging

/// Verifies App Store receipts by the store's verification endpoint (the verifyReceipt protocol).
///
/// The production side is asked first and the sandbox side when the store says that the receipt is a test one, since
/// App Review buys in the sandbox against production servers. Callers who submit the same receipt at the same time
/// share one call, which goes on when one of them gives up. Receipts that the store refused are answered from memory
/// for a while, and an endpoint that is down is left alone for a while, so neither forgers nor outages cost other users
/// anything. Receipts, secrets and answers are never logged.
public struct AppStoreReceiptVerifier: Sendable {
    let configuration: AppStoreReceiptConfiguration
    let logger: Logger
    let wallClock: @Sendable () -> Date
    let production: StoreHost
    let sandbox: StoreHost
    let refusals: ReceiptMemory<StoreError>
    let recent: ReceiptMemory<VerifiedReceipt>
    private let flights = SingleFlight<VerifiedReceipt>()

    /// Creates a verifier; copies of it share its memory and its circuit breakers.
    /// - Parameters:
    ///   - configuration: the endpoints, the apps and the limits.
    ///   - httpClient: carries the calls. Its pool should allow as many connections a host as there are verifications
    ///     at once; what a call waits for a connection counts as its own time. Redirects are never followed, whatever
    ///     the client's own setting.
    ///   - logger: gets the endpoint's side, status and attempt of failures.
    ///   - wallClock: the wallet's clock, for answers that carry no date.
    ///   - monotonicClock: the clock of the circuit breakers, of the memory and of the deadline.
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

    /// Returns whether the store stands by a receipt, and for what.
    ///
    /// The store is not asked about a receipt that it refused lately, nor twice at once about the same one. A caller
    /// who may not have the store asked any more still gets the answer to a receipt that was verified in the last
    /// minute: what a receipt says is absolute, so hearing it again changes nothing.
    ///
    /// Nothing here knows who submitted the receipt: whose each transaction is, the books decide.
    /// - Parameters:
    ///   - receipt: the receipt in base64, as the app sent it.
    ///   - permit: says if the store may be asked for this caller; called at most once, and only if it would be.
    /// - Returns: the receipt's facts, none for a receipt that bought nothing.
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
