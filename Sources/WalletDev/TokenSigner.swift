package import CommandOutput
import Foundation
import JOSE
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
    /// - Returns: The token in its compact form.
    /// - Throws: An error of the signing.
    package func token(for subject: String, role: String, lifetime: Int) throws -> String {
        // The issue time is in whole seconds, because some verifiers do not accept fractions.
        let issued = Int64(Date.now.timeIntervalSince1970.rounded(.down))
        return try SigningKey(secret: self.secret).token(
            TokenClaims(
                iss: self.issuer,
                aud: self.audience,
                sub: subject,
                role: role,
                iat: issued,
                exp: issued + Int64(lifetime)
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
private struct TokenClaims: Encodable {
    let iss: String
    let aud: String
    let sub: String
    let role: String
    let iat: Int64
    let exp: Int64
}
