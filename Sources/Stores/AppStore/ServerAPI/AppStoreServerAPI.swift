public import AsyncHTTPClient
public import Foundation
public import Logging

/// A client of the App Store Server API: looks up purchases and sends the information that the store requests.
///
/// A request goes to production first, and to the sandbox if production does not find the transaction or refuses the
/// token, since App Review and TestFlight buy in the sandbox. Answers contain signed data, which is verified and must
/// match the requested app, environment and transaction. Ids, tokens and answers are never logged.
public struct AppStoreServerAPI: Sendable {
    let configuration: AppStoreServerAPIConfiguration
    let verifier: SignedDataVerifier
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

    /// Escapes an id for a path; throws `notFound` for text that cannot be a store id.
    static func segment(_ id: String) throws(StoreError) -> String {
        guard let segment = StorePath.segment(id) else { throw StoreError(.notFound) }
        return segment
    }
}
