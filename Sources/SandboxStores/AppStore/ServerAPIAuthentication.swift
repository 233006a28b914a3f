import Crypto
import Foundation
import Hummingbird
import JOSE
import JSON
import NIOCore

/// Authorizes calls of the App Store Server API with the configured key.
struct ServerAPIAuthentication: RouterMiddleware {
    let isAuthorized: @Sendable (String?) async -> Bool

    func handle(
        _ request: Request,
        context: SandboxContext,
        next: (Request, SandboxContext) async throws -> Response
    ) async throws -> Response {
        guard await self.isAuthorized(request.headers[.authorization]) else {
            return Response(
                status: .unauthorized,
                headers: [.contentType: "text/plain"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: "Unauthenticated\n"))
            )
        }
        return try await next(request, context)
    }
}

extension SandboxStores {
    /// Returns `true` if a call of the App Store Server API is authorized; without a configured key, none is.
    func authorizes(_ header: String?) async -> Bool {
        guard let token = self.serverAPIToken, let header, header.hasPrefix("Bearer ") else { return false }
        return token.accepts(String(header.dropFirst("Bearer ".count)), at: [Date(), await self.ledger.now])
    }
}

/// Verifies the tokens of app servers that call the App Store Server API.
struct ServerAPIToken: Sendable {
    private struct Claims: Decodable {
        let iss: String
        let iat: Double
        let exp: Double
        let aud: String
        let bid: String
    }

    private static let audience = "appstoreconnect-v1"
    private static let longestLife: Double = 3_600
    private static let allowedSkew: Double = 60

    private let access: ServerAPIAccess
    private let bundleID: String
    private let key: VerificationKey

    init(access: ServerAPIAccess, bundleID: String) throws {
        self.access = access
        self.bundleID = bundleID
        self.key = VerificationKey(curve: try P256.Signing.PublicKey(pemRepresentation: access.publicKeyPEM))
    }

    /// Returns a Boolean value that indicates whether a token is signed with the configured key and currently valid.
    /// - Parameters:
    ///   - token: The compact JWS.
    ///   - clocks: The current times, of which at least one must be within the token's validity. Callers use either the
    ///     machine's clock or the stores' clock.
    /// - Returns: `true` if the token is accepted.
    func accepts(_ token: String, at clocks: [Date]) -> Bool {
        guard
            let jws = CompactJWS(token), let header = jws.header(), let claims = jws.claims(as: Claims.self),
            header.algorithm == self.key.algorithm.rawValue, header.keyID?.text == self.access.keyID,
            self.key.signed(jws)
        else { return false }
        return self.accepts(claims) && clocks.contains { Self.holds(claims, at: $0.timeIntervalSince1970) }
    }

    private func accepts(_ claims: Claims) -> Bool {
        claims.iss == self.access.issuerID && claims.bid == self.bundleID && claims.aud == Self.audience
            && claims.exp - claims.iat <= Self.longestLife
    }

    private static func holds(_ claims: Claims, at now: Double) -> Bool {
        claims.iat <= now + self.allowedSkew && claims.exp > now
    }
}
