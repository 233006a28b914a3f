public import AsyncHTTPClient
public import Foundation
import JOSE
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
        let jws = try CompactJWS(signedData: text, maximumBytes: maximumBytes)
        let reading = try PayloadReading<Payload>(jws.payload)
        if reading.payload?.namedEnvironment?.isTest == true { throw StoreError(.testSignature) }
        let chain = try await self.trust.chain(of: jws, at: reading.signedAt ?? self.wallClock())
        try chain.check(jws)
        guard let payload = reading.payload else { throw StoreError(.unreadable) }
        return Verified(payload: payload, isUnderExtraRoot: chain.isUnderExtraRoot)
    }
}

/// An app transaction of an accepted app, signed by the App Store.
public struct SignedAppTransaction: Hashable, Sendable {
    /// The content of the app transaction.
    public let payload: AppTransaction
    /// The environment of the store.
    public let environment: StoreEnvironment
}

/// The payload of a signed app transaction, which describes a customer's copy of the app, with the App Store's names.
public struct AppTransaction: Decodable, Hashable, Sendable {
    /// The environment of the store.
    public var receiptType: AppStoreEnvironment?
    /// The App Store's number of the app; absent outside production.
    public var appAppleId: Int64?
    /// The bundle id of the app.
    public var bundleId: String?
    /// The time at which the store signed the app transaction.
    public var receiptCreationDate: Date?
    /// The id of the customer's copy of the app, the same for all purchases.
    public var appTransactionId: String?
}

extension AppTransaction: SignedPayload {
    var signedAt: Date? { self.receiptCreationDate }
    var namedEnvironment: AppStoreEnvironment? { self.receiptType }
}

/// The app and the store environment that signed data is about.
struct AppIdentity: Hashable {
    let bundleID: String?
    var appAppleID: Int64?
    let environment: AppStoreEnvironment?

    /// Checks that the data is about one of the accepted apps, and returns the store environment.
    ///
    /// The app's number is compared for production data, and for all data if only production is accepted.
    /// - Parameters:
    ///   - configuration: The accepted apps and environments.
    ///   - carriesNumber: `true` if this kind of data contains the app's number.
    ///   - isUnderExtraRoot: `true` if an extra root signed the data, which is then treated as sandbox data.
    /// - Returns: The store environment.
    /// - Throws: ``StoreError``: `wrongApp`, else `wrongEnvironment`.
    func side(
        accordingTo configuration: SignedDataConfiguration,
        carriesNumber: Bool,
        isUnderExtraRoot: Bool
    ) throws(StoreError) -> StoreEnvironment {
        guard let bundleID, configuration.bundleIDs.contains(bundleID) else { throw StoreError(.wrongApp) }
        let side = isUnderExtraRoot && self.environment?.side != nil ? .sandbox : self.environment?.side
        let isProductionOnly = !configuration.environments.contains(.sandbox)
        if carriesNumber && !configuration.appAppleIDs.isEmpty && (side == .production || isProductionOnly) {
            guard let appAppleID, configuration.appAppleIDs.contains(appAppleID) else { throw StoreError(.wrongApp) }
        }
        guard let side, configuration.environments.contains(side) else { throw StoreError(.wrongEnvironment) }
        return side
    }
}

/// The environment name in the App Store's signed data; unknown names survive decoding.
public struct AppStoreEnvironment: RawRepresentable, Codable, Hashable, Sendable {
    /// The name as the store writes it.
    public let rawValue: String

    /// Creates an environment.
    /// - Parameter rawValue: The name as the store writes it.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Purchases paid with money.
    public static let production = AppStoreEnvironment(rawValue: "Production")
    /// Purchases made with test accounts.
    public static let sandbox = AppStoreEnvironment(rawValue: "Sandbox")
    /// Data signed by Xcode.
    public static let xcode = AppStoreEnvironment(rawValue: "Xcode")
    /// Data signed by a local test on the developer's machine.
    public static let localTesting = AppStoreEnvironment(rawValue: "LocalTesting")

    /// A Boolean value that indicates whether a development tool signed the data, which then proves nothing.
    var isTest: Bool { self == .xcode || self == .localTesting }

    /// The store environment; nil for data that is not from the store.
    var side: StoreEnvironment? {
        switch self {
        case .production: .production
        case .sandbox: .sandbox
        default: nil
        }
    }
}
