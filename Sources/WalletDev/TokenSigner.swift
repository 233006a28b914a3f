package import CommandOutput
import Crypto
package import Foundation
import JWTKit
package import WalletAPI

/// Signs tokens of one issuer with its shared secret (HS256).
package struct TokenSigner: Sendable {
    let issuer: String
    let audience: String
    let secret: [UInt8]

    /// Signs a token.
    ///
    /// - Parameters:
    ///   - subject: The token's subject.
    ///   - role: The role claim. The service ignores it, except that it refuses `anon` and `service_role`.
    ///   - lifetime: The number of seconds until the token expires.
    ///   - now: The issue time.
    /// - Returns: The token in its compact form.
    /// - Throws: An error of the signing.
    package func token(for subject: String, role: String, lifetime: Int, now: Date = .now) async throws -> String {
        // The issue time is in whole seconds, because some verifiers do not accept fractions.
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

extension TokenSigner {
    /// Creates a signer for an issuer; throws if the issuer has no shared secret.
    package init(_ configuration: IssuerConfiguration) throws(CommandError) {
        guard let secret = configuration.sharedSecret, let audience = configuration.audiences.first else {
            throw CommandError(.configuration, "Issuer \(configuration.issuer) has no HS256 secret to sign tokens.")
        }
        self.init(issuer: configuration.issuer, audience: audience, secret: secret)
    }
}

/// The claims of a token that `credit-wallet token` or `dev` creates.
struct TokenClaims: JWTPayload {
    let iss: IssuerClaim
    let aud: AudienceClaim
    let sub: SubjectClaim
    let role: String
    let iat: IssuedAtClaim
    let exp: ExpirationClaim

    func verify(using algorithm: some JWTAlgorithm) throws {
        try self.exp.verifyNotExpired()
    }
}
