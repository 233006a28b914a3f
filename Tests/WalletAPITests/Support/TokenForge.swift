import Crypto
import CryptoExtras
import Foundation
import JWTKit
import WalletAPI

/// Creates valid and forged tokens of every kind.
struct TokenForge: Sendable {
    static let issuer = "https://project.example/auth/v1"
    static let audience = "authenticated"
    static let now = Date(timeIntervalSince1970: 1_795_000_000)

    let secret: [UInt8]
    let curveKey = P256.Signing.PrivateKey()

    init(secret: String = "a-shared-secret-of-more-than-32-bytes") {
        self.secret = Array(secret.utf8)
    }

    /// Returns the claims of a valid token.
    static func claims(
        issuer: String = TokenForge.issuer,
        subject: String? = "user-1",
        issuedAt: Date = TokenForge.now,
        _ changes: [String: any Sendable] = [:]
    ) -> [String: any Sendable] {
        let instant = Int(issuedAt.timeIntervalSince1970)
        var claims: [String: any Sendable] = [
            "iss": issuer, "aud": Self.audience, "exp": instant + 600, "iat": instant, "role": "authenticated",
        ]
        claims["sub"] = subject
        for (name, value) in changes { claims[name] = value }
        return claims
    }

    /// Returns a token signed with the shared secret.
    func shared(_ claims: [String: any Sendable], header: [String: any Sendable] = [:]) throws -> String {
        let input = try Self.input(["alg": "HS256", "typ": "JWT"].merging(header) { $1 }, claims)
        let code = HMAC<SHA256>.authenticationCode(for: Data(input.utf8), using: SymmetricKey(data: self.secret))
        return input + "." + Self.encode(Data(code))
    }

    /// Returns a token with any bytes as claims, signed with the shared secret.
    func shared(raw claims: Data) -> String {
        let input = Self.encode(Data(#"{"alg":"HS256"}"#.utf8)) + "." + Self.encode(claims)
        let code = HMAC<SHA256>.authenticationCode(for: Data(input.utf8), using: SymmetricKey(data: self.secret))
        return input + "." + Self.encode(Data(code))
    }

    /// Returns a token signed with the curve key.
    func curve(_ claims: [String: any Sendable], keyID: String? = "curve-1") throws -> String {
        var header: [String: any Sendable] = ["alg": "ES256", "typ": "JWT"]
        header["kid"] = keyID
        let input = try Self.input(header, claims)
        return input + "." + Self.encode(try self.curveKey.signature(for: Data(input.utf8)).rawRepresentation)
    }

    /// Returns a token with a signature that the caller computes.
    static func token(
        _ header: [String: any Sendable],
        _ claims: [String: any Sendable],
        signature: (Data) throws -> Data
    ) throws -> String {
        let input = try Self.input(header, claims)
        return input + "." + Self.encode(try signature(Data(input.utf8)))
    }

    /// Returns the curve key as a member of a published set.
    func published(keyID: String = "curve-1") -> [String: any Sendable] {
        let point = self.curveKey.publicKey.rawRepresentation
        return [
            "kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "kid": keyID,
            "x": Self.encode(point.prefix(32)), "y": Self.encode(point.suffix(32)),
        ]
    }

    static func input(_ header: [String: any Sendable], _ claims: [String: any Sendable]) throws -> String {
        let header = try JSONSerialization.data(withJSONObject: header)
        let claims = try JSONSerialization.data(withJSONObject: claims)
        return Self.encode(header) + "." + Self.encode(claims)
    }

    static func encode(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}

/// An RSA key of the test run that signs tokens.
struct RSAForge: Sendable {
    let key: _RSA.Signing.PrivateKey

    init() throws {
        self.key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
    }

    func token(_ claims: [String: any Sendable], keyID: String = "rsa-1") throws -> String {
        try TokenForge.token(["alg": "RS256", "kid": keyID], claims) { input in
            try self.key.signature(for: SHA256.hash(data: input), padding: .insecurePKCS1v1_5).rawRepresentation
        }
    }

    func published(keyID: String = "rsa-1") throws -> [String: any Sendable] {
        let (modulus, exponent) = try Insecure.RSA.PublicKey(backing: self.key.publicKey).getKeyPrimitives()
        return [
            "kty": "RSA", "use": "sig", "kid": keyID, "n": TokenForge.encode(modulus), "e": TokenForge.encode(exponent),
        ]
    }
}
