import AsyncHTTPClient
import Foundation
import Logging
@_spi(FixedExpiryValidationTime) import X509

/// Asks the issuer of certificates whether it has revoked them (OCSP).
///
/// The issuer's address stands in the certificates, so it is asked only about a chain that is good otherwise. An answer
/// that cannot be had, read or believed is never taken for "not revoked".
struct RevocationCheck: Sendable {
    let httpClient: HTTPClient
    let logger: Logger
    let wallClock: @Sendable () -> Date
    let retryAfter: Int

    /// Asks about every certificate of a chain that names a responder.
    /// - Parameters:
    ///   - chain: the signer's certificate, its issuer's and the root's.
    ///   - time: when the data was signed; the chain is good at that time.
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
        // The policy distinguishes its reasons in words only. Words that are not known mean "ask again", not "good".
        let isRevoked = failures.contains { failure in
            let reason = String(describing: failure.policyFailureReason)
            return reason.hasPrefix("revoked through OCSP") || reason.hasSuffix("status unknown")
        }
        if isRevoked { throw StoreError(.invalidCertificate) }
        self.logger.warning("the issuer of the store's certificates gave no usable answer about revocation")
        throw StoreError(.unavailable, retryAfter: self.retryAfter)
    }
}
