import CryptoExtras
import Foundation

import struct Crypto.SHA256

/// What a service account signs to get an access token: a JWT by its RSA key.
struct GooglePlayAssertion {
    private static let lifetime: TimeInterval = 3_600
    private static let scope = "https://www.googleapis.com/auth/androidpublisher"

    private struct Header: Encodable {
        let alg = "RS256"
        let typ = "JWT"
    }

    private struct Claims: Encodable {
        let iss: String
        let scope: String
        let aud: String
        let iat: Int
        let exp: Int
    }

    private let email: String
    private let audience: String
    private let key: _RSA.Signing.PrivateKey

    /// Takes the account's key.
    /// - Parameter configuration: the account and the endpoint that is to take its word.
    /// - Throws: ``StoreError`` `misconfigured` for a key that is none, or an account without a name.
    init(_ configuration: GooglePlayConfiguration) throws(StoreError) {
        guard
            !configuration.serviceAccountEmail.isEmpty,
            let key = try? _RSA.Signing.PrivateKey(pemRepresentation: configuration.privateKeyPEM)
        else { throw StoreError(.misconfigured) }
        self.email = configuration.serviceAccountEmail
        self.audience = configuration.tokenURL
        self.key = key
    }

    /// Signs an assertion that holds for an hour.
    func signed(at now: Date) throws(StoreError) -> String {
        let issuedAt = now.timeIntervalSince1970.rounded(.down)
        let claims = Claims(
            iss: self.email,
            scope: Self.scope,
            aud: self.audience,
            iat: Int(issuedAt),
            exp: Int(issuedAt + Self.lifetime)
        )
        do {
            return try compactJWT(header: Header(), claims: claims) { content in
                // The padding's name is the library's opinion of it; RS256 knows no other.
                try self.key.signature(for: SHA256.hash(data: content), padding: .insecurePKCS1v1_5).rawRepresentation
            }
        } catch {
            throw StoreError(.misconfigured)
        }
    }
}
