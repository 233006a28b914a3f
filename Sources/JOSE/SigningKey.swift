package import Crypto
package import CryptoExtras
import Foundation

/// A key that signs data in the compact form, with the one algorithm that it is used with.
package struct SigningKey: Sendable {
    private enum Material: Sendable {
        case secret(SymmetricKey)
        case curve(P256.Signing.PrivateKey)
        case rsa(_RSA.Signing.PrivateKey)
    }

    package let algorithm: SignatureAlgorithm
    private let material: Material

    /// Creates a key from a shared secret (HS256).
    package init(secret: [UInt8]) {
        self.algorithm = .hs256
        self.material = .secret(SymmetricKey(data: secret))
    }

    /// Creates a key on the curve P-256 (ES256).
    package init(curve key: P256.Signing.PrivateKey) {
        self.algorithm = .es256
        self.material = .curve(key)
    }

    /// Creates an RSA key (RS256), as Google's service accounts have it.
    package init(rsa key: _RSA.Signing.PrivateKey) {
        self.algorithm = .rs256
        self.material = .rsa(key)
    }

    private struct Header: Encodable {
        let alg: String
        let kid: String?
        let typ = "JWT"
    }

    /// Signs the claims of a token.
    package func token(_ claims: some Encodable, keyID: String? = nil) throws -> String {
        try self.sign(claims, header: Header(alg: self.algorithm.rawValue, kid: keyID))
    }

    /// Signs a payload; the header must name the key's algorithm.
    package func sign(_ payload: some Encodable, header: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let signed = try "\(encoder.encode(header).base64URL).\(encoder.encode(payload).base64URL)"
        return "\(signed).\(try self.signature(of: Data(signed.utf8)).base64URL)"
    }

    private func signature(of input: Data) throws -> Data {
        switch self.material {
        case .secret(let key): Data(HMAC<SHA256>.authenticationCode(for: input, using: key))
        case .curve(let key): try key.signature(for: input).rawRepresentation
        case .rsa(let key):
            try key.signature(for: SHA256.hash(data: input), padding: .insecurePKCS1v1_5).rawRepresentation
        }
    }
}
