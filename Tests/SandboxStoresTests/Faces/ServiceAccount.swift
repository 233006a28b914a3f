import Crypto
import CryptoExtras
import Foundation
import HTTPTypes
import Testing

/// A client that signs in at Google's authorization server as the app's service account.
struct ServiceAccount {
    var email = Faces.account
    var scope = "https://www.googleapis.com/auth/androidpublisher"
    var algorithm = "RS256"
    var issuedAt = Date()
    var lifetime = 3_600.0
    var key: _RSA.Signing.PrivateKey?

    func assertion() throws -> String {
        let seconds = self.issuedAt.timeIntervalSince1970.rounded()
        let claims: [String: Any] = [
            "iss": self.email, "scope": self.scope, "aud": "https://oauth2.googleapis.com/token",
            "iat": seconds, "exp": seconds + self.lifetime,
        ]
        let header = try JSONSerialization.data(withJSONObject: ["alg": self.algorithm, "typ": "JWT"])
        let payload = try JSONSerialization.data(withJSONObject: claims)
        let signed = "\(header.base64URL).\(payload.base64URL)"
        let key = try self.key ?? Faces.accountKey.get()
        let signature = try key.signature(for: SHA256.hash(data: Data(signed.utf8)), padding: .insecurePKCS1v1_5)
        return "\(signed).\(signature.rawRepresentation.base64URL)"
    }
}

extension Faces {
    static let grantType = "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"

    func signIn(_ account: ServiceAccount = ServiceAccount()) async throws -> Stores.Answer {
        let form = "grant_type=\(Self.grantType)&assertion=\(try account.assertion())"
        return try await self.call(.post, "/token", body: form)
    }

    /// Returns a signed-in client of the Android Publisher API.
    func publisher() async throws -> Publisher {
        let token = try await self.signIn().text("access_token")
        return Publisher(faces: self, authorization: "Bearer \(try #require(token))")
    }

    struct Publisher: Sendable {
        let faces: Faces
        let authorization: String
        var package = Faces.package

        func get(_ path: String) async throws -> Stores.Answer {
            try await self.faces.call(.get, self.path(path), authorization: self.authorization)
        }

        func post(_ path: String) async throws -> Stores.Answer {
            try await self.faces.call(.post, self.path(path), authorization: self.authorization)
        }

        private func path(_ path: String) -> String {
            "/androidpublisher/v3/applications/\(self.package)/purchases/\(path)"
        }

        func subscription(_ token: String?) async throws -> Stores.Answer {
            try await self.get("subscriptionsv2/tokens/\(try #require(token))")
        }
    }
}

extension Stores.Answer {
    /// The reason of Google's refusal.
    var reason: String? { self.object("error")?.list("errors").first?.text("reason") }
}
