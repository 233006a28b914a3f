import Crypto
import Foundation
import JWTKit

/// Makes tokens in the name of one issuer, with the secret it shares with the service (HS256).
struct TokenSigner: Sendable {
    let issuer: String
    let audience: String
    let secret: [UInt8]

    /// Signs one token.
    ///
    /// - Parameters:
    ///   - subject: Whom it is for.
    ///   - role: Its role claim; says nothing to the service but for `anon`, which is refused.
    ///   - lifetime: Seconds until it expires.
    ///   - now: When it is issued.
    /// - Returns: The token in its compact form.
    /// - Throws: What the signing throws.
    func token(for subject: String, role: String, lifetime: Int, now: Date = .now) async throws -> String {
        // Whole seconds: some verifiers do not read fractions.
        let issued = Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down))
        let keys = await JWTKeyCollection().add(
            hmac: HMACKey(key: SymmetricKey(data: self.secret)),
            digestAlgorithm: .sha256
        )
        return try await keys.sign(
            TokenClaims(
                iss: IssuerClaim(value: self.issuer),
                aud: AudienceClaim(value: self.audience),
                sub: SubjectClaim(value: subject),
                role: role,
                iat: IssuedAtClaim(value: issued),
                exp: ExpirationClaim(value: issued.addingTimeInterval(TimeInterval(lifetime)))
            )
        )
    }
}
