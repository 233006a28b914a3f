import Foundation
import Hummingbird

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
            var response = try Response.json(face.pushKey.keySet)
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
        let body: StoreJSON = [
            "access_token": .text(token), "expires_in": .number(lifetime), "token_type": "Bearer",
        ]
        return try Response.json(body)
    }

    private static func refused(_ refusal: AccessTokens.Refusal) throws -> Response {
        let body: StoreJSON = [
            "error": .text(refusal.error), "error_description": .text(refusal.description),
        ]
        return try Response.json(body, status: .badRequest)
    }

    /// Returns the fields of an `application/x-www-form-urlencoded` body.
    private static func form(in body: String) -> [String: String] {
        var components = URLComponents()
        components.percentEncodedQuery = body.replacing("+", with: "%20")
        return Dictionary((components.queryItems ?? []).map { ($0.name, $0.value ?? "") }) { first, _ in first }
    }
}
