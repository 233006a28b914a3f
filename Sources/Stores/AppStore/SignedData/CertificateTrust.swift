import AsyncHTTPClient
import Crypto
import Foundation
import JOSE
import Logging
import NIOCore
import NIOHTTP1
import SwiftASN1
@_spi(FixedExpiryValidationTime) import X509

/// Validates certificate chains against the pinned roots by the App Store's rules.
///
/// Valid chains are cached for a while: the store signs everything with a few certificates, and validating a chain
/// costs several times as much as verifying the data. Invalid chains are never cached, so forged chains cannot evict
/// valid ones.
struct CertificateTrust: Sendable {
    /// A valid certificate chain.
    struct Chain: Sendable {
        /// The signer's key.
        let key: P256.Signing.PublicKey
        /// The time range in which all certificates are valid.
        let validity: ClosedRange<Date>
        /// A Boolean value that indicates whether the chain leads to one of the extra roots.
        let isUnderExtraRoot: Bool
    }

    private let roots: CertificateStore
    private let extraRoots: Set<Certificate>
    private let isMisconfigured: Bool
    private let revocation: RevocationCheck?
    private let memory: ReceiptMemory<Chain>

    /// Reads the roots once.
    ///
    /// An unreadable root makes every verification throw `misconfigured`. If it were skipped silently, its data would
    /// appear forged.
    /// - Parameters:
    ///   - configuration: The pinned roots and the extra roots.
    ///   - revocation: Checks revocation with the issuer; nil disables the check.
    ///   - monotonicClock: The clock of the cache.
    init(
        configuration: SignedDataConfiguration,
        revocation: RevocationCheck?,
        monotonicClock: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        let pinned = configuration.roots.compactMap { try? Certificate(derEncoded: $0) }
        let extra = configuration.extraRoots.compactMap { try? Certificate(derEncoded: $0) }
        let named = configuration.roots.count + configuration.extraRoots.count
        self.isMisconfigured = named == 0 || pinned.count + extra.count != named
        self.roots = CertificateStore(pinned + extra)
        self.extraRoots = Set(extra)
        self.revocation = revocation
        self.memory = ReceiptMemory(capacity: 32, lifetime: .seconds(15 * 60), now: monotonicClock)
    }

    /// Returns the valid chain of the certificates in signed data.
    ///
    /// The cache key is the certificates' text, which the store repeats: a lookup is cheaper than reading them. The
    /// rest of the header is not part of it, because the chain is cached before the signature is checked.
    /// - Parameters:
    ///   - jws: The data. Its header holds in base64 the signer's certificate, its issuer's certificate and a root; the
    ///     root is ignored.
    ///   - time: The time at which the data was signed.
    /// - Returns: The valid chain.
    /// - Throws: ``StoreError``: `malformedSignedData`, `invalidCertificate`, `unavailable` if the issuer could not be
    ///   reached, and `misconfigured`.
    func chain(of jws: CompactJWS, at time: Date) async throws(StoreError) -> Chain {
        guard !self.isMisconfigured else { throw StoreError(.misconfigured) }
        let certificates = try jws.certificates()
        let key = certificates.prefix(2).joined(separator: " ")
        if let known = self.memory.value(of: key), known.validity.contains(time) { return known }
        let leaf = try Self.certificate(certificates[0])
        let intermediate = try Self.certificate(certificates[1])
        let found = try await self.validate(leaf: leaf, intermediate: intermediate, at: time)
        try await self.revocation?.check(found, at: time)
        let chain = try self.chain(of: found)
        self.memory.remember(chain, of: key)
        return chain
    }

    private static func certificate(_ base64: String) throws(StoreError) -> Certificate {
        guard
            let bytes = Data(base64Encoded: base64),
            // Otherwise one certificate could be cached under several texts.
            bytes.base64EncodedString() == base64,
            let certificate = try? Certificate(derEncoded: [UInt8](bytes))
        else { throw StoreError(.invalidCertificate) }
        return certificate
    }

    /// The last second of the year 9999: the X509 library rounds instants to seconds, and traps on later years.
    private static let lastSecond = Date(timeIntervalSince1970: 253_402_300_799)

    private func validate(
        leaf: Certificate,
        intermediate: Certificate,
        at time: Date
    ) async throws(StoreError) -> [Certificate] {
        // This time is from data that is not verified yet.
        guard leaf.notValidBefore <= time, time <= leaf.notValidAfter, time < Self.lastSecond else {
            throw StoreError(.invalidCertificate)
        }
        var verifier = Verifier(rootCertificates: self.roots) {
            RFC5280Policy(fixedExpiryValidationTime: time)
            AppStoreCertificatePolicy()
        }
        let result = await verifier.validate(leaf: leaf, intermediates: CertificateStore([intermediate]))
        guard case .validCertificate(let chain) = result else { throw StoreError(.invalidCertificate) }
        return Array(chain)
    }

    private func chain(of certificates: [Certificate]) throws(StoreError) -> Chain {
        guard
            let leaf = certificates.first,
            let root = certificates.last,
            let key = P256.Signing.PublicKey(leaf.publicKey),
            let from = certificates.map(\.notValidBefore).max(),
            let until = certificates.map(\.notValidAfter).min(),
            from <= until
        else { throw StoreError(.invalidCertificate) }
        return Chain(key: key, validity: from...until, isUnderExtraRoot: self.extraRoots.contains(root))
    }
}

extension CertificateTrust.Chain {
    /// Checks that the chain's signer signed the data.
    /// - Throws: ``StoreError`` with `invalidSignature`.
    func check(_ jws: CompactJWS) throws(StoreError) {
        guard VerificationKey(curve: self.key).signed(jws) else { throw StoreError(.invalidSignature) }
    }
}

/// Accepts only the App Store's certificate chains: root, intermediate and leaf, the latter two with Apple's marker
/// extensions.
///
/// The markers are as important as the root: the same root also certifies keys that Apple issues to developers.
private struct AppStoreCertificatePolicy: VerifierPolicy {
    private static let intermediateMark: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 2, 1]
    private static let leafMark: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 11, 1]

    let verifyingCriticalExtensions: [ASN1ObjectIdentifier] = []

    func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) async -> PolicyEvaluationResult {
        guard chain.count == 3 else { return .failsToMeetPolicy(reason: "not three certificates") }
        guard chain[1].extensions[oid: Self.intermediateMark] != nil else {
            return .failsToMeetPolicy(reason: "the intermediate certificate is not marked")
        }
        guard chain[0].extensions[oid: Self.leafMark] != nil else {
            return .failsToMeetPolicy(reason: "the signer's certificate is not marked")
        }
        return .meetsPolicy
    }
}

/// Checks with the issuer of certificates whether they were revoked (OCSP).
///
/// The certificates contain the issuer's address, so the check runs only for a chain that is otherwise valid. A
/// missing, unreadable or untrusted answer is never taken as "not revoked".
struct RevocationCheck: Sendable {
    let httpClient: HTTPClient
    let logger: Logger
    let wallClock: @Sendable () -> Date
    let retryAfter: Int

    /// Checks every certificate of a chain that names a responder.
    /// - Parameters:
    ///   - chain: The certificates of the signer, its issuer and the root.
    ///   - time: The time at which the data was signed; the chain is valid at that time.
    /// - Throws: ``StoreError``: `invalidCertificate` for a revoked or unknown certificate, else `unavailable` with the
    ///   seconds to wait.
    func check(_ chain: [Certificate], at time: Date) async throws(StoreError) {
        let now = self.wallClock()
        var verifier = Verifier(rootCertificates: CertificateStore(chain.suffix(1))) {
            RFC5280Policy(fixedExpiryValidationTime: time)
            AppStoreCertificatePolicy()
            OCSPVerifierPolicy(
                failureMode: .hard,
                requester: RevocationRequester(httpClient: self.httpClient),
                fixedExpiryValidationTime: now
            )
        }
        let result = await verifier.validate(leaf: chain[0], intermediates: CertificateStore(chain[1..<2]))
        guard case .couldNotValidate(let failures) = result else { return }
        // The policy reports its reasons only as text. An unknown text leads to a retry, not to acceptance.
        let isRevoked = failures.contains { failure in
            let reason = String(describing: failure.policyFailureReason)
            return reason.hasPrefix("revoked through OCSP") || reason.hasSuffix("status unknown")
        }
        if isRevoked { throw StoreError(.invalidCertificate) }
        self.logger.warning("the revocation of the store's certificates could not be checked")
        throw StoreError(.unavailable, retryAfter: self.retryAfter)
    }
}

/// Sends an OCSP request to an issuer's responder, with limits on time and response size.
private struct RevocationRequester: OCSPRequester {
    private struct Unusable: Error {}

    private static let maximumResponseBytes = 64 * 1_024

    let httpClient: HTTPClient

    func query(request: [UInt8], uri: String) async -> OCSPRequesterQueryResult {
        do {
            return .response(try await self.ask(uri, request))
        } catch {
            return .terminalError(Unusable())
        }
    }

    /// The policy cancels this request after 10 seconds; the timeout here only limits the connection.
    private func ask(_ uri: String, _ body: [UInt8]) async throws -> [UInt8] {
        var request = HTTPClientRequest(url: uri)
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/ocsp-request")
        request.headers.add(name: "accept", value: "application/ocsp-response")
        request.headers.add(name: "user-agent", value: "credit-wallet")
        request.body = .bytes(ByteBuffer(bytes: body))
        let response = try await self.httpClient.execute(request, timeout: .seconds(10))
        guard response.status == .ok, response.history.count <= 1 else { throw Unusable() }
        let bytes = try await response.body.collect(upTo: Self.maximumResponseBytes)
        return [UInt8](buffer: bytes)
    }
}
