import Foundation
import JWTKit

/// The assertion that a service account exchanges for an access token: a JWT signed with its RSA key.
struct GooglePlayAssertion {
    private static let lifetime: TimeInterval = 3_600
    private static let scope = "https://www.googleapis.com/auth/androidpublisher"

    private struct Claims: JWTPayload {
        let iss: String
        let scope: String
        let aud: String
        let iat: Int
        let exp: Int

        /// Verifies nothing: Google verifies the assertions that this service signs.
        func verify(using algorithm: some JWTAlgorithm) {}
    }

    private let email: String
    private let audience: String
    // The library marks RSA as insecure, but Google's service accounts have only RSA keys.
    private let key: Insecure.RSA.PrivateKey

    /// Reads the account's key.
    /// - Parameter configuration: The service account and the token endpoint, which is the assertion's audience.
    /// - Throws: ``StoreError`` `misconfigured` if the key cannot be read or the account's address is empty.
    init(_ configuration: GooglePlayConfiguration) throws(StoreError) {
        guard
            !configuration.serviceAccountEmail.isEmpty,
            let key = try? Insecure.RSA.PrivateKey(pem: configuration.privateKeyPEM)
        else { throw StoreError(.misconfigured) }
        self.email = configuration.serviceAccountEmail
        self.audience = configuration.tokenURL
        self.key = key
    }

    /// Returns a signed assertion that is valid for an hour.
    func signed(at now: Date) async throws(StoreError) -> String {
        let issuedAt = now.timeIntervalSince1970.rounded(.down)
        let claims = Claims(
            iss: self.email,
            scope: Self.scope,
            aud: self.audience,
            iat: Int(issuedAt),
            exp: Int(issuedAt + Self.lifetime)
        )
        do {
            return try await JWTKeyCollection().add(rsa: self.key, digestAlgorithm: .sha256).sign(claims)
        } catch {
            throw StoreError(.misconfigured)
        }
    }
}
