import Foundation
import Hummingbird
import JOSE
import JSON
import Synchronization

extension SandboxStores {
    private static let grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer"
    private static let largestForm = 64 * 1_024

    /// Adds Google's authorization server and the key set of its pushes.
    func addPlayTokenRoutes(of face: PlayServer, to router: Router<SandboxContext>) {
        router.post("token") { request, _ in
            let body = try await request.body.collect(upTo: Self.largestForm)
            let clocks = [Date(), await self.ledger.now]
            return try Self.answer(to: Self.form(in: String(buffer: body)), at: clocks, from: face.tokens)
        }
        router.get("oauth2/v3/certs") { _, _ in
            var response = Response.json(try face.pushKey.keySet)
            response.headers[.cacheControl] = "public, max-age=300"
            return response
        }
    }

    private static func answer(
        to form: [String: String],
        at clocks: [Date],
        from tokens: AccessTokens
    ) throws -> Response {
        guard form["grant_type"] == Self.grantType else {
            return try Self.refused(.init(error: "unsupported_grant_type", description: "Invalid grant_type"))
        }
        switch tokens.exchange(form["assertion"], at: clocks) {
        case .success(let token): return try Self.granted(token)
        case .failure(let refusal): return try Self.refused(refusal)
        }
    }

    private static func granted(_ token: String) throws -> Response {
        let lifetime = Int64(AccessTokens.lifetime - 1)
        let body: JSONValue = [
            "access_token": .text(token), "expires_in": .integer(lifetime), "token_type": "Bearer",
        ]
        return Response.json(body)
    }

    private static func refused(_ refusal: AccessTokens.Refusal) throws -> Response {
        let body: JSONValue = [
            "error": .text(refusal.error), "error_description": .text(refusal.description),
        ]
        return Response.json(body, status: .badRequest)
    }

    /// Returns the fields of an `application/x-www-form-urlencoded` body.
    private static func form(in body: String) -> [String: String] {
        var components = URLComponents()
        components.percentEncodedQuery = body.replacing("+", with: "%20")
        return Dictionary((components.queryItems ?? []).map { ($0.name, $0.value ?? "") }) { first, _ in first }
    }
}

/// Google's authorization server: issues access tokens to the configured service account.
final class AccessTokens: Sendable {
    /// The OAuth error for a refused token request.
    struct Refusal: Error {
        let error: String
        let description: String

        static func grant(_ description: String) -> Refusal {
            Refusal(error: "invalid_grant", description: description)
        }
    }

    private struct Claims: Decodable {
        let iss: String
        let scope: String
        let aud: String
        let iat: Double
        let exp: Double

        func isInDate(at now: Date) -> Bool {
            let now = now.timeIntervalSince1970
            return self.iat <= now + AccessTokens.leeway && now < self.exp + AccessTokens.leeway
        }
    }

    static let lifetime = 3_600
    private static let scope = "https://www.googleapis.com/auth/androidpublisher"
    private static let leeway = 300.0

    private let email: String
    private let key: VerificationKey
    private let issued = Mutex<[String: Date]>([:])

    init(email: String, publicKeyPEM: String) throws {
        self.email = email
        do {
            self.key = try VerificationKey(rsaPEM: publicKeyPEM)
        } catch {
            throw SandboxStoresError(.unreadableKey)
        }
    }

    /// Exchanges a signed assertion for an access token.
    /// - Parameters:
    ///   - assertion: The assertion, nil if the request contains none.
    ///   - clocks: The current times, of which at least one must be within the assertion's validity: the client may use
    ///     the machine's clock or the stores' clock.
    /// - Returns: The access token, or the reason for the refusal.
    func exchange(_ assertion: String?, at clocks: [Date]) -> Result<String, Refusal> {
        guard
            let jws = assertion.flatMap({ CompactJWS($0) }), let claims = jws.claims(as: Claims.self),
            jws.header()?.algorithm == self.key.algorithm.rawValue, self.key.signed(jws)
        else { return .failure(.grant("Invalid JWT Signature.")) }
        guard claims.iss == self.email else { return .failure(.grant("Invalid grant: account not found")) }
        guard claims.scope.split(separator: " ").contains(Substring(Self.scope)), claims.aud.hasSuffix("/token") else {
            return .failure(Refusal(error: "invalid_scope", description: "Invalid OAuth scope or audience provided."))
        }
        guard claims.exp - claims.iat <= Double(Self.lifetime), clocks.contains(where: { claims.isInDate(at: $0) })
        else {
            return .failure(.grant("Invalid JWT: Token must be short-lived and in a reasonable timeframe."))
        }
        return .success(self.issue())
    }

    /// Returns `true` if an `Authorization` header contains a valid token.
    func accepts(_ authorization: String?) -> Bool {
        guard let authorization, authorization.hasPrefix("Bearer ") else { return false }
        let token = String(authorization.dropFirst("Bearer ".count))
        return self.issued.withLock { $0[token].map { $0 > Date() } ?? false }
    }

    // Tokens expire by the machine's clock, since clients measure a token's lifetime in real seconds, not by the
    // stores' clock.
    private func issue() -> String {
        let token = "ya29." + Data((0..<48).map { _ in UInt8.random(in: .min ... .max) }).base64URL
        self.issued.withLock { issued in
            issued = issued.filter { $0.value > Date() }
            issued[token] = Date() + Double(Self.lifetime)
        }
        return token
    }
}
