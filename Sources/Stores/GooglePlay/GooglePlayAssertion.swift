import Foundation
import JWTKit

/// What a service account signs to get an access token: a JWT by its RSA key.
struct GooglePlayAssertion {
    private static let lifetime: TimeInterval = 3_600
    private static let scope = "https://www.googleapis.com/auth/androidpublisher"

    private struct Claims: JWTPayload {
        let iss: String
        let scope: String
        let aud: String
        let iat: Int
        let exp: Int

        /// Google verifies what this service signs; nobody verifies it here.
        func verify(using algorithm: some JWTAlgorithm) {}
    }

    private let email: String
    private let audience: String
    // The library calls RSA insecure; Google's service accounts have no other keys.
    private let key: Insecure.RSA.PrivateKey

    /// Takes the account's key.
    /// - Parameter configuration: the account and the endpoint that is to take its word.
    /// - Throws: ``StoreError`` `misconfigured` for a key that is none, or an account without a name.
    init(_ configuration: GooglePlayConfiguration) throws(StoreError) {
        guard
            !configuration.serviceAccountEmail.isEmpty,
            let key = try? Insecure.RSA.PrivateKey(pem: configuration.privateKeyPEM)
        else { throw StoreError(.misconfigured) }
        self.email = configuration.serviceAccountEmail
        self.audience = configuration.tokenURL
        self.key = key
    }

    /// Signs an assertion that holds for an hour.
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
