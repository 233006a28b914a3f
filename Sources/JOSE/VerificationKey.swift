package import Crypto
import CryptoExtras
package import Foundation
package import JSON

/// A key that verifies signatures, with the one algorithm that it is used with.
///
/// The algorithm comes from the configuration or from the key's type, never from a token, so a public key is never used
/// as a shared secret. Callers refuse a token that names another algorithm.
package struct VerificationKey: Sendable {
    /// The identity of one loaded key; the same key has a new identity when it is fetched again.
    package typealias Identity = UUID

    private enum Material: Sendable {
        case secret(SymmetricKey)
        case curve(P256.Signing.PublicKey)
        case rsa(_RSA.Signing.PublicKey)
    }

    package let algorithm: SignatureAlgorithm
    package let identity = Identity()
    private let material: Material

    /// Creates a key from a shared secret (HS256).
    package init(secret: [UInt8]) {
        self.algorithm = .hs256
        self.material = .secret(SymmetricKey(data: secret))
    }

    /// Creates a key on the curve P-256 (ES256).
    package init(curve key: P256.Signing.PublicKey) {
        self.algorithm = .es256
        self.material = .curve(key)
    }

    /// Creates an RSA key (RS256) from PEM; throws for a key of fewer than 2048 bits.
    package init(rsaPEM pem: String) throws {
        self.algorithm = .rs256
        self.material = .rsa(try _RSA.Signing.PublicKey(pemRepresentation: pem))
    }

    /// Creates a key from a member of a key set; returns nil for keys of other types, algorithms and uses.
    ///
    /// A set may contain keys for other purposes, such as encryption or other curves.
    ///
    /// - Throws: The library's error for an invalid key, such as an RSA key of fewer than 2048 bits.
    init?(_ published: PublishedKey) throws {
        guard published.use == nil || published.use == "sig" else { return nil }
        guard published.operations == nil || published.operations?.contains("verify") == true else { return nil }
        switch published.type {
        case "EC" where published.curve == "P-256":
            guard let x = published.x, let y = published.y else { return nil }
            self.algorithm = .es256
            let point = try Data([0x04]) + x.bytes() + y.bytes()
            self.material = .curve(try P256.Signing.PublicKey(x963Representation: point))
        case "RSA":
            guard let modulus = published.modulus, let exponent = published.exponent else { return nil }
            self.algorithm = .rs256
            self.material = .rsa(try _RSA.Signing.PublicKey(n: modulus.bytes(), e: exponent.bytes()))
        default: return nil
        }
        guard published.algorithm == nil || published.algorithm == self.algorithm.rawValue else { return nil }
    }

    /// Returns whether the signed data was signed with this key; a shared secret is compared in constant time.
    package func signed(_ jws: CompactJWS) -> Bool {
        switch self.material {
        case .secret(let key):
            return HMAC<SHA256>.isValidAuthenticationCode(jws.signature, authenticating: jws.signingInput, using: key)
        case .curve(let key):
            guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: jws.signature) else {
                return false
            }
            return key.isValidSignature(signature, for: jws.signingInput)
        case .rsa(let key):
            let signature = _RSA.Signing.RSASignature(rawRepresentation: jws.signature)
            let digest = SHA256.hash(data: jws.signingInput)
            return key.isValidSignature(signature, for: digest, padding: .insecurePKCS1v1_5)
        }
    }
}

/// The usable keys of one published set (RFC 7517).
package struct KeySet: Sendable {
    /// The maximum number of keys that are read from one set.
    package static let maximumKeys = 100

    private var named: [ExactText: [VerificationKey]] = [:]
    private var all: [VerificationKey] = []
    /// The ids of invalid keys, for logs.
    package private(set) var invalidKeyIDs: [String] = []

    /// Reads a set; unsupported and invalid keys are skipped without affecting the others.
    ///
    /// - Throws: `DecodingError` if the JSON is not a key set.
    package init(json: Data) throws {
        let members = try JSONDecoder().decode(Members.self, external: json).keys
        for case .key(let published) in members.prefix(Self.maximumKeys) {
            do {
                guard let key = try VerificationKey(published) else { continue }
                self.all.append(key)
                if let keyID = published.keyID { self.named[keyID, default: []].append(key) }
            } catch {
                self.invalidKeyIDs.append(published.keyID?.text ?? "none")
            }
        }
    }

    /// Returns the keys with an id.
    ///
    /// There is usually one; RFC 7517 allows one for each key type.
    package subscript(keyID: ExactText) -> [VerificationKey] { self.named[keyID] ?? [] }

    /// Returns the only key of an algorithm; nil if the set has several or none.
    package func onlyKey(for algorithm: SignatureAlgorithm) -> VerificationKey? {
        let keys = self.all.filter { $0.algorithm == algorithm }
        return keys.count == 1 ? keys.first : nil
    }

    private struct Members: Decodable {
        let keys: [Member]
    }

    /// A member of the set, which may have an unexpected shape.
    private enum Member: Decodable {
        case key(PublishedKey)
        case other

        init(from decoder: any Decoder) throws {
            do {
                self = .key(try PublishedKey(from: decoder))
            } catch is DecodingError {
                self = .other
            }
        }
    }
}

/// A member of a key set, with the parameters that verification needs (RFC 7517, RFC 7518).
struct PublishedKey: Decodable {
    let type: String
    let keyID: ExactText?
    let algorithm: String?
    let use: String?
    let operations: [String]?
    let curve: String?
    let x: Parameter?
    let y: Parameter?
    let modulus: Parameter?
    let exponent: Parameter?

    private enum CodingKeys: String, CodingKey {
        case type = "kty"
        case keyID = "kid"
        case algorithm = "alg"
        case use
        case operations = "key_ops"
        case curve = "crv"
        case x, y
        case modulus = "n"
        case exponent = "e"
    }

    /// A number of a key.
    struct Parameter: Decodable {
        private struct Invalid: Error {}

        private let text: String

        init(from decoder: any Decoder) throws {
            self.text = try String(from: decoder)
        }

        /// Decodes the number from base64url; unlike in tokens, padding and the alphabet of base64 are accepted, because
        /// some issuers publish them.
        func bytes() throws -> Data {
            let text = self.text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
            guard let bytes = Data(base64URL: text.utf8) else { throw Invalid() }
            return bytes
        }
    }
}
