import Foundation
import JWTKit

/// A key of the issuer with the one algorithm that it is used with.
///
/// The algorithm comes from the key's type, never from a token. Shared secrets are not supported, so a token that uses
/// a public key as an HMAC secret is refused.
struct SigningKey: Sendable {
    /// The algorithms that ID tokens may be signed with.
    enum Algorithm: String, Sendable {
        case es256 = "ES256"
        case rs256 = "RS256"
    }

    let keyID: String?
    let algorithm: Algorithm
    private let verifier: any JWTAlgorithm

    /// Pins a member of a key set (RFC 7517); returns nil for keys of other types and uses.
    ///
    /// - Throws: The library's error for an invalid key, such as an RSA key of fewer than 2048 bits.
    init?(_ published: PublishedKey) async throws {
        guard published.use == nil || published.use == "sig" else { return nil }
        guard published.operations == nil || published.operations?.contains("verify") == true else { return nil }
        let keys = JWTKeyCollection()
        switch published.kty {
        case "EC" where published.crv == "P-256":
            guard let x = published.x, let y = published.y else { return nil }
            self.algorithm = .es256
            await keys.add(ecdsa: try ES256PublicKey(parameters: (x, y)))
        case "RSA":
            guard let modulus = published.n, let exponent = published.e else { return nil }
            self.algorithm = .rs256
            let key = try Insecure.RSA.PublicKey(modulus: modulus, exponent: exponent)
            await keys.add(rsa: key, digestAlgorithm: .sha256)
        default:
            return nil
        }
        guard published.alg == nil || published.alg == self.algorithm.rawValue else { return nil }
        self.keyID = published.kid
        self.verifier = try await keys.getKey()
    }

    /// Returns whether a token was signed with this key.
    func signed(_ token: IDToken) -> Bool {
        // The library throws for a malformed signature; that is not a signature of this key either.
        do {
            return try self.verifier.verify(token.signature, signs: token.signingInput)
        } catch {
            return false
        }
    }
}
