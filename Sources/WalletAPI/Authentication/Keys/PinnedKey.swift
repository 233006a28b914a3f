import Foundation
import JWTKit

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
