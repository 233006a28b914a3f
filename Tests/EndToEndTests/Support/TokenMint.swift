import Crypto
import Foundation
import WalletClient

/// Signs tokens as the issuer of a `dev` directory does, and invalid tokens.
struct TokenMint: Sendable {
    private let secret: String
    private let issuer: String
    private let audience: String

    /// Takes issuer and audience from a token that the wallet printed.
    init(secret: String, like token: String) throws {
        let parts = token.split(separator: ".")
        guard
            parts.count == 3, let payload = Self.decode(parts[1]),
            let claims = try? JSONDecoder().decode([String: JSONValue].self, from: payload),
            let issuer = claims["iss"]?.stringValue, let audience = claims["aud"]?.stringValue
        else { throw HarnessError("the printed token is none") }
        self.init(secret: secret, issuer: issuer, audience: audience)
    }

    init(secret: String, issuer: String, audience: String) {
        self.secret = secret
        self.issuer = issuer
        self.audience = audience
    }

    /// Returns the claims of a token; they are valid unless a test changes them.
    func claims(
        of user: String?,
        role: String = "authenticated",
        lifetime: TimeInterval = 3_600,
        audience: String? = nil,
        issuer: String? = nil
    ) -> [String: JSONValue] {
        let now = Date().timeIntervalSince1970.rounded()
        var claims: [String: JSONValue] = [
            "iss": .string(issuer ?? self.issuer), "aud": .string(audience ?? self.audience), "role": .string(role),
            "iat": .integer(Int64(now + min(lifetime, 0) - 10)), "exp": .integer(Int64(now + lifetime)),
        ]
        if let user { claims["sub"] = .string(user) }
        return claims
    }

    func token(for user: String) throws -> String {
        try self.sign(self.claims(of: user))
    }

    /// Signs any claims.
    func sign(_ claims: [String: JSONValue], algorithm: String = "HS256", secret: String? = nil) throws -> String {
        let header: [String: JSONValue] = ["alg": .string(algorithm), "typ": "JWT"]
        let text = try "\(Self.encode(JSONEncoder().encode(header))).\(Self.encode(JSONEncoder().encode(claims)))"
        guard algorithm != "none" else { return text + "." }
        let key = SymmetricKey(data: Data((secret ?? self.secret).utf8))
        return "\(text).\(Self.encode(Data(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: key))))"
    }

    private static func encode(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    private static func decode(_ text: Substring) -> Data? {
        let base64 = text.replacing("-", with: "+").replacing("_", with: "/")
        return Data(base64Encoded: base64 + String(repeating: "=", count: (4 - base64.count % 4) % 4))
    }
}
