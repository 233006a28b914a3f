import Foundation
import JWTKit
import Logging

/// The usable keys that an issuer publishes.
struct SigningKeys: Sendable {
    /// The maximum number of keys that are read from one set.
    static let maximumKeys = 100

    private let keys: [SigningKey]

    /// Parses a set; unsupported and invalid keys are skipped without affecting the others.
    init(json: Data, logger: Logger) async throws(SignInError) {
        let members: [Member]
        do {
            members = try JSONDecoder().decode(Members.self, from: json).keys
        } catch {
            throw .answerUnreadable
        }
        var keys: [SigningKey] = []
        for case .key(let published) in members.prefix(Self.maximumKeys) {
            do {
                if let key = try await SigningKey(published) { keys.append(key) }
            } catch {
                logger.warning(
                    "ignored an unusable key of an issuer",
                    metadata: ["kid": "\(published.kid ?? "none")"]
                )
            }
        }
        self.keys = keys
    }

    /// Returns the key that a token names.
    ///
    /// - Parameter header: The token's header; without `kid`, the only key of the token's algorithm is used.
    /// - Returns: The key; nil if the set does not contain it.
    /// - Throws: ``SignInError/Flaw/algorithm`` if the key is pinned to another algorithm than the token's.
    func key(for header: IDTokenHeader) throws(SignInError) -> SigningKey? {
        let algorithm = try header.pinnedAlgorithm()
        guard let keyID = header.keyID else {
            let keys = self.keys.filter { $0.algorithm == algorithm }
            return keys.count == 1 ? keys.first : nil
        }
        let keys = self.keys.filter { key in key.keyID.map { RandomText.isSame($0, keyID) } ?? false }
        if keys.isEmpty { return nil }
        guard let key = keys.first(where: { $0.algorithm == algorithm }) else { throw .idToken(.algorithm) }
        return key
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

/// A member of a published key set, with the names of RFC 7517 and RFC 7518.
struct PublishedKey: Decodable, Sendable {
    let kty: String
    let kid: String?
    let alg: String?
    let use: String?
    let operations: [String]?
    let crv: String?
    let x: String?
    let y: String?
    let n: String?
    let e: String?

    private enum CodingKeys: String, CodingKey {
        case kty, kid, alg, use, crv, x, y, n, e
        case operations = "key_ops"
    }
}
