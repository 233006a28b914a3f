import Foundation
import JWTKit
import Logging
import Stores

/// The usable keys of one published set, by their `kid`.
struct KeySet: Sendable {
    /// The maximum number of keys that are read from one set.
    static let maximumKeys = 100

    private let keys: [ExactText: [PinnedKey]]

    /// Reads a set and pins the usable keys.
    ///
    /// A key without `kid` is skipped, because a token cannot name it.
    init(json: Data, logger: Logger) async throws {
        var keys: [ExactText: [PinnedKey]] = [:]
        for member in try JSONDecoder().decode(Members.self, from: json).keys.prefix(Self.maximumKeys) {
            guard case .key(let published) = member, let keyID = published.keyID else { continue }
            do {
                guard let key = try await published.pinned() else { continue }
                keys[keyID, default: []].append(key)
            } catch {
                logger.warning("Ignored an unusable published key", metadata: ["kid": "\(keyID.text)"])
            }
        }
        self.keys = keys
    }

    /// Returns the keys with a `kid`.
    ///
    /// There is usually one; RFC 7517 allows one for each key type.
    subscript(keyID: ExactText) -> [PinnedKey] { self.keys[keyID] ?? [] }

    private struct Members: Decodable {
        let keys: [Member]
    }

    /// A member of the set.
    ///
    /// A member of an unexpected shape is skipped without affecting the other members.
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

/// A member of a published key set (RFC 7517), with the parameters that are needed to pin it.
struct PublishedKey: Decodable, Sendable {
    let type: String
    let keyID: ExactText?
    let algorithm: String?
    let use: String?
    let operations: [String]?
    let curve: String?
    let x: String?
    let y: String?
    let modulus: String?
    let exponent: String?

    enum CodingKeys: String, CodingKey {
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

    /// Pins the key to the algorithm of its type, or returns nil for keys of other types and uses.
    ///
    /// A set may contain keys for other purposes, such as encryption or other curves; they do not affect the usable
    /// keys.
    func pinned() async throws -> PinnedKey? {
        guard self.use == nil || self.use == "sig" else { return nil }
        guard self.operations == nil || self.operations?.contains("verify") == true else { return nil }
        switch self.type {
        case "EC" where self.curve == "P-256" && self.isFor(.es256):
            guard let x = self.x, let y = self.y else { return nil }
            return try await PinnedKey(x: x, y: y)
        case "RSA" where self.isFor(.rs256):
            guard let modulus = self.modulus, let exponent = self.exponent else { return nil }
            return try await PinnedKey(modulus: modulus, exponent: exponent)
        default:
            return nil
        }
    }

    private func isFor(_ algorithm: PinnedKey.Algorithm) -> Bool {
        self.algorithm == nil || self.algorithm == algorithm.rawValue
    }
}

/// A key with the one algorithm that it is used with.
///
/// The algorithm comes from the configuration or from the key's type, never from a token. A token that names another
/// algorithm is refused before a signature is computed.
struct PinnedKey: Sendable {
    /// The algorithms that tokens may be signed with.
    enum Algorithm: String, Sendable {
        case hs256 = "HS256"
        case es256 = "ES256"
        case rs256 = "RS256"
    }

    /// The identity of one loaded key; the same key has a new identity when it is fetched again.
    typealias Identity = UUID

    let algorithm: Algorithm
    let identity = Identity()
    private let verifier: any JWTAlgorithm

    /// Pins a shared secret to HS256.
    init(secret: [UInt8]) async throws {
        let keys = JWTKeyCollection()
        await keys.add(hmac: HMACKey(from: secret), digestAlgorithm: .sha256)
        self.algorithm = .hs256
        self.verifier = try await keys.getKey()
    }

    /// Pins a key on the curve P-256 to ES256; the coordinates are base64url.
    init(x: String, y: String) async throws {
        let keys = JWTKeyCollection()
        await keys.add(ecdsa: try ES256PublicKey(parameters: (x, y)))
        self.algorithm = .es256
        self.verifier = try await keys.getKey()
    }

    /// Pins an RSA key of at least 2048 bits to RS256; modulus and exponent are base64url.
    init(modulus: String, exponent: String) async throws {
        let keys = JWTKeyCollection()
        let key = try Insecure.RSA.PublicKey(modulus: modulus, exponent: exponent)
        await keys.add(rsa: key, digestAlgorithm: .sha256)
        self.algorithm = .rs256
        self.verifier = try await keys.getKey()
    }

    /// Returns whether the token was signed with this key.
    func signed(_ token: CompactToken) -> Bool {
        // The library throws for a malformed signature; that is not a signature of this key either.
        do {
            return try self.verifier.verify(token.signature, signs: token.signingInput)
        } catch {
            return false
        }
    }
}
