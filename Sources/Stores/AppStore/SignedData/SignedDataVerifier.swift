public import AsyncHTTPClient
public import Foundation
public import Logging

/// Verifies what the App Store signs: transactions, renewals, app transactions and notifications.
///
/// Everything is decided here, from the data and the pinned root alone, so nothing depends on the store being up
/// (unless revocation is checked). Data of development tools is refused in every configuration. Signed data is never
/// logged.
public struct SignedDataVerifier: Sendable {
    /// Data whose signature is the store's, with what its certificates say of it.
    struct Verified<Payload: SignedPayload>: Sendable {
        let payload: Payload
        let isUnderExtraRoot: Bool
    }

    let configuration: SignedDataConfiguration
    let logger: Logger
    let wallClock: @Sendable () -> Date
    private let trust: CertificateTrust

    /// Creates a verifier; copies of it share its memory of good certificates.
    ///
    /// A root certificate that cannot be read makes every verification throw `misconfigured`.
    /// - Parameters:
    ///   - configuration: the apps, the roots and the limits.
    ///   - httpClient: carries questions about revocation, and nothing where that is not checked.
    ///   - logger: gets a line when revocation could not be checked.
    ///   - wallClock: the wallet's clock, for data that carries no date, and against notifications from the future.
    ///   - monotonicClock: the clock of the memory.
    public init(
        configuration: SignedDataConfiguration,
        httpClient: HTTPClient,
        logger: Logger,
        wallClock: @escaping @Sendable () -> Date = { Date() },
        monotonicClock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.configuration = configuration
        self.logger = logger
        self.wallClock = wallClock
        let revocation = RevocationCheck(
            httpClient: httpClient,
            logger: logger,
            wallClock: wallClock,
            retryAfter: configuration.retryAfter
        )
        self.trust = CertificateTrust(
            configuration: configuration,
            revocation: configuration.checksRevocation ? revocation : nil,
            monotonicClock: monotonicClock
        )
    }

    /// Verifies a signed transaction.
    /// - Parameter jws: the transaction as the store signed it.
    /// - Returns: the transaction of one of our apps.
    /// - Throws: ``StoreError``: `unsignedTransaction`, `malformedSignedData`, `testSignature`, `invalidCertificate`,
    ///   `invalidSignature`, `wrongApp`, `wrongEnvironment`, `unreadable`, `unavailable` where revocation is checked,
    ///   `misconfigured`.
    public func transaction(_ jws: String) async throws(StoreError) -> SignedTransaction {
        let verified = try await self.verify(
            jws,
            as: JWSTransactionDecodedPayload.self,
            maximumBytes: self.configuration.maximumTransactionBytes
        )
        let payload = verified.payload
        let identity = AppIdentity(bundleID: payload.bundleId, environment: payload.environment)
        let environment = try identity.side(
            accordingTo: self.configuration,
            carriesNumber: false,
            isUnderExtraRoot: verified.isUnderExtraRoot
        )
        return SignedTransaction(payload: payload, environment: environment)
    }

    /// Verifies signed renewal information.
    ///
    /// It names no app, so it is to be believed only inside a verified notification or an answer of the store.
    /// - Parameter jws: the renewal information as the store signed it.
    /// - Returns: the renewal information.
    /// - Throws: ``StoreError`` with the codes of ``transaction(_:)`` but `wrongApp`; `unreadable` also for other signed
    ///   data of the store.
    public func renewalInfo(_ jws: String) async throws(StoreError) -> SignedRenewalInfo {
        let verified = try await self.verify(
            jws,
            as: JWSRenewalInfoDecodedPayload.self,
            maximumBytes: self.configuration.maximumTransactionBytes
        )
        guard let named = verified.payload.environment?.side else { throw StoreError(.wrongEnvironment) }
        let environment = verified.isUnderExtraRoot ? .sandbox : named
        guard self.configuration.environments.contains(environment) else { throw StoreError(.wrongEnvironment) }
        guard !verified.payload.isOtherData else { throw StoreError(.unreadable) }
        return SignedRenewalInfo(payload: verified.payload, environment: environment)
    }

    /// Verifies a signed app transaction, which proves who got the app and nothing of purchases in it.
    ///
    /// Signed under a further root it names no copy of the app: an id alone does not say on which side of the store it
    /// was given, so it would prove the possession of what real money bought.
    /// - Parameter jws: the app transaction as the store signed it.
    /// - Returns: the app transaction of one of our apps.
    /// - Throws: ``StoreError`` with the codes of ``transaction(_:)``.
    public func appTransaction(_ jws: String) async throws(StoreError) -> SignedAppTransaction {
        let verified = try await self.verify(
            jws,
            as: AppTransaction.self,
            maximumBytes: self.configuration.maximumTransactionBytes
        )
        var payload = verified.payload
        if verified.isUnderExtraRoot { payload.appTransactionId = nil }
        let identity = AppIdentity(
            bundleID: payload.bundleId,
            appAppleID: payload.appAppleId,
            environment: payload.receiptType
        )
        let environment = try identity.side(
            accordingTo: self.configuration,
            carriesNumber: true,
            isUnderExtraRoot: verified.isUnderExtraRoot
        )
        return SignedAppTransaction(payload: payload, environment: environment)
    }

    /// Verifies form, certificates and signature, by the store's own algorithm; whose the data is, the caller checks.
    func verify<Payload: SignedPayload>(
        _ text: String,
        as type: Payload.Type,
        maximumBytes: Int
    ) async throws(StoreError) -> Verified<Payload> {
        let jws = try CompactJWS(text, maximumBytes: maximumBytes)
        let reading = try PayloadReading<Payload>(jws.payload)
        if reading.payload?.namedEnvironment?.isTest == true { throw StoreError(.testSignature) }
        let chain = try await self.trust.chain(of: jws, at: reading.signedAt ?? self.wallClock())
        try chain.check(jws)
        guard let payload = reading.payload else { throw StoreError(.unreadable) }
        return Verified(payload: payload, isUnderExtraRoot: chain.isUnderExtraRoot)
    }
}
