import CryptoExtras
import Foundation
import Synchronization

/// Google's authorization server: issues access tokens to the configured service account.
final class AccessTokens: Sendable {
    /// The OAuth error for a refused token request.
    struct Refusal: Error {
        let error: String
        let description: String

        static func grant(_ description: String) -> Refusal {
            Refusal(error: "invalid_grant", description: description)
        }
    }

    private struct Claims: Decodable {
        let iss: String
        let scope: String
        let aud: String
        let iat: Double
        let exp: Double

        func isInDate(at now: Date) -> Bool {
            let now = now.timeIntervalSince1970
            return self.iat <= now + AccessTokens.leeway && now < self.exp + AccessTokens.leeway
        }
    }

    static let lifetime = 3_600
    private static let scope = "https://www.googleapis.com/auth/androidpublisher"
    private static let leeway = 300.0

    private let email: String
    private let publicKey: _RSA.Signing.PublicKey
    private let issued = Mutex<[String: Date]>([:])

    init(email: String, publicKeyPEM: String) throws {
        self.email = email
        do {
            self.publicKey = try _RSA.Signing.PublicKey(pemRepresentation: publicKeyPEM)
        } catch {
            throw SandboxStoresError(.unreadableKey)
        }
    }

    /// Exchanges a signed assertion for an access token.
    /// - Parameters:
    ///   - assertion: The assertion, nil if the request contains none.
    ///   - clocks: The current times, of which at least one must be within the assertion's validity: the client may use
    ///     the machine's clock or the stores' clock.
    /// - Returns: The access token, or the reason for the refusal.
    func exchange(_ assertion: String?, at clocks: [Date]) -> Result<String, Refusal> {
        guard
            let assertion,
            let claims = RS256.claims(Claims.self, of: assertion, signedBy: self.publicKey)
        else { return .failure(.grant("Invalid JWT Signature.")) }
        guard claims.iss == self.email else { return .failure(.grant("Invalid grant: account not found")) }
        guard claims.scope.split(separator: " ").contains(Substring(Self.scope)), claims.aud.hasSuffix("/token") else {
            return .failure(Refusal(error: "invalid_scope", description: "Invalid OAuth scope or audience provided."))
        }
        guard claims.exp - claims.iat <= Double(Self.lifetime), clocks.contains(where: { claims.isInDate(at: $0) })
        else {
            return .failure(.grant("Invalid JWT: Token must be short-lived and in a reasonable timeframe."))
        }
        return .success(self.issue())
    }

    /// Returns `true` if an `Authorization` header contains a valid token.
    func accepts(_ authorization: String?) -> Bool {
        guard let authorization, authorization.hasPrefix("Bearer ") else { return false }
        let token = String(authorization.dropFirst("Bearer ".count))
        return self.issued.withLock { $0[token].map { $0 > Date() } ?? false }
    }

    // Tokens expire by the machine's clock, since clients measure a token's lifetime in real seconds, not by the
    // stores' clock.
    private func issue() -> String {
        let token = "ya29." + Data((0..<48).map { _ in UInt8.random(in: .min ... .max) }).base64URL
        self.issued.withLock { issued in
            issued = issued.filter { $0.value > Date() }
            issued[token] = Date() + Double(Self.lifetime)
        }
        return token
    }
}
