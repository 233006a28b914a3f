import AsyncHTTPClient
import Foundation
import Logging
@_spi(FixedExpiryValidationTime) import X509

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
