import Crypto
import Foundation
import Hummingbird
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
        return token.accepts(header.dropFirst("Bearer ".count), at: [Date(), await self.ledger.now])
    }
}

/// Verifies the tokens of app servers that call the App Store Server API.
struct ServerAPIToken: Sendable {
    private struct Header: Decodable {
        let alg: String
        let kid: String
    }

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
    private let key: P256.Signing.PublicKey

    init(access: ServerAPIAccess, bundleID: String) throws {
        self.access = access
        self.bundleID = bundleID
        self.key = try P256.Signing.PublicKey(pemRepresentation: access.publicKeyPEM)
    }

    /// Returns a Boolean value that indicates whether a token is signed with the configured key and currently valid.
    /// - Parameters:
    ///   - token: The compact JWS.
    ///   - clocks: The current times, of which at least one must be within the token's validity. Callers use either the
    ///     machine's clock or the stores' clock.
    /// - Returns: `true` if the token is accepted.
    func accepts(_ token: Substring, at clocks: [Date]) -> Bool {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard
            parts.count == 3,
            let header = Self.decode(Header.self, from: parts[0]),
            let claims = Self.decode(Claims.self, from: parts[1]),
            let bytes = Data(base64URL: parts[2]),
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: bytes),
            header.alg == "ES256", header.kid == self.access.keyID,
            self.key.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])".utf8))
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

    private static func decode<Value: Decodable>(_ type: Value.Type, from part: Substring) -> Value? {
        Data(base64URL: part).flatMap { try? JSONDecoder().decode(type, from: $0) }
    }
}
