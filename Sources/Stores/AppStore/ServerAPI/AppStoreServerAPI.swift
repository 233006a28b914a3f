public import AsyncHTTPClient
public import Foundation
public import Logging

/// Asks the App Store about purchases by its server API, and answers what it asks of us.
///
/// The production side is asked first, and the sandbox side where production knows no such transaction or refuses the
/// token: App Review and TestFlight buy in the sandbox. What the store answers is signed data, which is verified like
/// any other and must be of the app, of the side and of the transaction that were asked for. Ids, tokens and answers
/// are never logged.
public struct AppStoreServerAPI: Sendable {
    let configuration: AppStoreServerAPIConfiguration
    let verifier: SignedDataVerifier
    let logger: Logger
    let tokens: AppStoreServerTokens
    let production: StoreHost
    let sandbox: StoreHost

    /// Creates a client; copies of it share its pace, its token and its circuit breakers.
    /// - Parameters:
    ///   - configuration: the hosts, the key, the app and the limits.
    ///   - verifier: verifies what the store signed; it must accept both sides of the store.
    ///   - httpClient: carries the calls. What a call waits for a connection counts as its own time.
    ///   - logger: gets side, attempt and status of failures.
    ///   - wallClock: dates the tokens.
    ///   - monotonicClock: the clock of the pace, the circuit breakers and the deadline.
    /// - Throws: ``StoreError`` `misconfigured` where the private key is none, or a name is empty.
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

    /// Asks for one transaction of any kind, finished or not.
    ///
    /// Knowing an id proves no purchase: the owner of the transaction is the one its account token names.
    /// - Parameter id: the transaction's id.
    /// - Returns: the transaction as the store signed it.
    /// - Throws: ``StoreError``: `notFound`, `rejected` with the store's code, `rateLimited` and `unavailable` with the
    ///   seconds to wait, also where the answer cannot be read, is of something else or is not the store's own,
    ///   `misconfigured`.
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

    /// Escapes an id; text that is no id of the store is known to no side of it.
    static func segment(_ id: String) throws(StoreError) -> String {
        guard let segment = StorePath.segment(id) else { throw StoreError(.notFound) }
        return segment
    }
}
