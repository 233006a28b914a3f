import SwiftASN1
import X509

/// Accepts only the App Store's certificate chains: root, intermediate and leaf, the latter two with Apple's marker
/// extensions.
///
/// The markers are as important as the root: the same root also certifies keys that Apple issues to developers.
struct AppStoreCertificatePolicy: VerifierPolicy {
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
