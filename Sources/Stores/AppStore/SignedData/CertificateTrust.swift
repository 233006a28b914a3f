import Crypto
import Foundation
import SwiftASN1
@_spi(FixedExpiryValidationTime) import X509

/// Decides whether certificates lead to a pinned root by the App Store's rules.
///
/// Chains that do are remembered for a while: the store signs everything with a few certificates, and checking the
/// certificates costs several times what checking the data costs. Chains that do not are never remembered, so a forger
/// cannot push out the others.
struct CertificateTrust: Sendable {
    /// Certificates that were found good.
    struct Chain: Sendable {
        /// The signer's key.
        let key: P256.Signing.PublicKey
        /// When all of the certificates are valid.
        let validity: ClosedRange<Date>
        /// They lead to one of the further roots.
        let isUnderExtraRoot: Bool
    }

    private let roots: CertificateStore
    private let extraRoots: Set<Certificate>
    private let isMisconfigured: Bool
    private let revocation: RevocationCheck?
    private let memory: ReceiptMemory<Chain>

    /// Reads the roots once and for all.
    ///
    /// A root that cannot be read makes every verification fail as `misconfigured`: leaving it out in silence would
    /// look like forged data.
    /// - Parameters:
    ///   - configuration: holds the roots.
    ///   - revocation: asks the issuer; nil for not asking.
    ///   - monotonicClock: the clock of the memory.
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

    /// Returns the key that the certificates of signed data vouch for.
    ///
    /// A good chain is known by the header that held it: the store sends one header again and again, and reading it costs
    /// more than finding it.
    /// - Parameters:
    ///   - jws: the data, whose header holds base64 of the signer's certificate, its issuer's and a root; the last one is
    ///     not looked at.
    ///   - time: when the data was signed.
    /// - Returns: the good chain.
    /// - Throws: ``StoreError``: `malformedSignedData`, `invalidCertificate`, `unavailable` where the issuer could not be asked, and
    ///   `misconfigured`.
    func chain(of jws: CompactJWS, at time: Date) async throws(StoreError) -> Chain {
        guard !self.isMisconfigured else { throw StoreError(.misconfigured) }
        if let known = self.memory.value(of: jws.header), known.validity.contains(time) { return known }
        let certificates = try jws.certificates()
        let leaf = try Self.certificate(certificates[0])
        let intermediate = try Self.certificate(certificates[1])
        let found = try await self.validate(leaf: leaf, intermediate: intermediate, at: time)
        try await self.revocation?.check(found, at: time)
        let chain = try self.chain(of: found)
        self.memory.remember(chain, of: jws.header)
        return chain
    }

    private static func certificate(_ base64: String) throws(StoreError) -> Certificate {
        guard
            let bytes = Data(base64Encoded: base64),
            let certificate = try? Certificate(derEncoded: [UInt8](bytes))
        else { throw StoreError(.invalidCertificate) }
        return certificate
    }

    private func validate(
        leaf: Certificate,
        intermediate: Certificate,
        at time: Date
    ) async throws(StoreError) -> [Certificate] {
        // Nobody has signed yet what this time was read from, and the library stops the process for a year above 9999.
        guard leaf.notValidBefore <= time, time <= leaf.notValidAfter else { throw StoreError(.invalidCertificate) }
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
    /// Checks that the signer of this chain signed the data.
    /// - Throws: ``StoreError`` with `invalidSignature`.
    func check(_ jws: CompactJWS) throws(StoreError) {
        guard
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: jws.signature),
            self.key.isValidSignature(signature, for: jws.signedBytes)
        else { throw StoreError(.invalidSignature) }
    }
}
