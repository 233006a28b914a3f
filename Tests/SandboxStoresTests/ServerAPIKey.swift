import Crypto
import Foundation
import SandboxStores

/// An app server's key for the App Store Server API.
struct ServerAPIKey: Sendable {
    let key = P256.Signing.PrivateKey()

    var access: ServerAPIAccess {
        ServerAPIAccess(issuerID: "issuer", keyID: "KEY", publicKeyPEM: self.key.publicKey.pemRepresentation)
    }

    var configuration: SandboxStoresConfiguration {
        var configuration = Stores.configuration()
        configuration.serverAPI = self.access
        return configuration
    }

    /// Returns a token that is valid except for the given changes.
    func token(
        header: [String: String] = [:],
        claims: [String: any Sendable] = [:],
        at now: Date = Date()
    ) throws -> String {
        let header = ["alg": "ES256", "kid": "KEY", "typ": "JWT"].merging(header) { $1 }
        let right: [String: any Sendable] = [
            "iss": "issuer", "iat": Int(now.timeIntervalSince1970), "exp": Int(now.timeIntervalSince1970) + 300,
            "aud": "appstoreconnect-v1", "bid": "com.example.app",
        ]
        let parts = try [header as [String: any Sendable], right.merging(claims) { $1 }].map {
            Self.base64URL(try JSONSerialization.data(withJSONObject: $0))
        }
        let signed = parts.joined(separator: ".")
        return "\(signed).\(Self.base64URL(try self.key.signature(for: Data(signed.utf8)).rawRepresentation))"
    }

    private static func base64URL(_ data: Data) -> String {
        String(data.base64EncodedString().map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }.filter { $0 != "=" })
    }
}
