public import AsyncHTTPClient
public import Foundation
public import Logging

/// Verifies data signed by the App Store: transactions, renewals, app transactions and notifications.
///
/// Verification uses only the data and the pinned roots, so it does not depend on the store's availability (unless
/// revocation is checked). Data signed by development tools is always refused. Signed data is never logged.
public struct SignedDataVerifier: Sendable {
    /// A payload with a valid signature.
    struct Verified<Payload: SignedPayload>: Sendable {
        let payload: Payload
        let isUnderExtraRoot: Bool
    }

    let configuration: SignedDataConfiguration
    let logger: Logger
    let wallClock: @Sendable () -> Date
    private let trust: CertificateTrust

    /// Creates a verifier; copies of it share its cache of valid certificates.
    ///
    /// An unreadable root certificate makes every verification throw `misconfigured`.
    /// - Parameters:
    ///   - configuration: The apps, the roots and the limits.
    ///   - httpClient: The client for OCSP requests; unused if revocation is not checked.
    ///   - logger: Logs failed revocation checks.
    ///   - wallClock: The wallet's clock, for data without a date and for rejecting notifications with a future date.
    ///   - monotonicClock: The clock of the cache.
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
    /// - Parameter jws: The transaction as the store signed it.
    /// - Returns: The verified transaction of an accepted app.
    /// - Throws: ``StoreError``: `unsignedTransaction`, `malformedSignedData`, `testSignature`, `invalidCertificate`,
    ///   `invalidSignature`, `wrongApp`, `wrongEnvironment`, `unreadable`, `unavailable` if revocation is checked,
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
    /// The information does not contain the app, so trust it only inside a verified notification or an answer of the
    /// store.
    /// - Parameter jws: The renewal information as the store signed it.
    /// - Returns: The renewal information.
    /// - Throws: ``StoreError`` with the codes of ``transaction(_:)`` except `wrongApp`; also `unreadable` for other
    ///   signed data of the store.
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

    /// Verifies a signed app transaction, which proves that a customer got the app, but no purchases in it.
    ///
    /// If an extra root signed it, `appTransactionId` is removed. The id does not include the environment, so a test id
    /// could otherwise prove ownership of real purchases.
    /// - Parameter jws: The app transaction as the store signed it.
    /// - Returns: The verified app transaction of an accepted app.
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

    /// Verifies form, certificates and signature with the store's algorithm; the caller checks the app.
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
