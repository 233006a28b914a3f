import AsyncHTTPClient
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import JSON
import JWTKit
import Logging
import NIOCore
import Synchronization
import TestSupport
import Wallet

@testable import WalletConsole

/// A small OpenID Connect issuer on this machine with discovery, authorization, token and key endpoints.
///
/// A test configures its faults.
final class TestIssuer: Sendable {
    /// The deviations that a test configures.
    struct Faults: Sendable {
        /// Claims that replace those of the ID token; null removes a claim.
        var claims: [String: JSONValue] = [:]
        /// The key that signs the ID token.
        var signing = Signing.own
        /// Members that replace those of the discovery document.
        var discovery: [String: JSONValue] = [:]
        /// The error that the authorization returns instead of a code.
        var error: String?
        /// The response time of the token endpoint.
        var delay: Duration = .zero
        /// The number of bytes appended to the token endpoint's response.
        var padding = 0
    }

    /// A way to sign an ID token.
    enum Signing: Sendable {
        /// The issuer's published key.
        case own
        /// Another key with the same key id.
        case stranger
        /// A key that is not published.
        case unpublished
        /// No signature, with `alg` set to none.
        case nothing
        /// The text of the published key as a shared secret (HS256).
        case publicKeyAsSecret
    }

    /// An authorization code that has not been redeemed yet.
    private struct Grant: Sendable {
        let challenge: String
        let nonce: String
        let redirect: String
        let asksAgain: Bool
    }

    let url: String
    let subject = "248289761001"
    private let key = ES256PrivateKey()
    private let strangerKey = ES256PrivateKey()
    private let state = Mutex<(faults: Faults, grants: [String: Grant], secrets: [String])>((Faults(), [:], []))
    private let now: @Sendable () -> Date

    private init(port: Int, now: @escaping @Sendable () -> Date) {
        self.url = "http://127.0.0.1:\(port)"
        self.now = now
    }

    /// The configured deviations.
    var faults: Faults {
        get { self.state.withLock { $0.faults } }
        set { self.state.withLock { $0.faults = newValue } }
    }

    /// Codes, verifiers and tokens that no log and no page may contain.
    var secrets: [String] { self.state.withLock { $0.secrets } }

    /// Runs a test next to an issuer.
    ///
    /// - Parameters:
    ///   - now: The issuer's clock.
    ///   - test: A closure that receives the issuer and a client of it.
    /// - Throws: An error that the test throws.
    static func run(
        now: @escaping @Sendable () -> Date,
        _ test: @escaping @Sendable (TestIssuer, HTTPClient) async throws -> Void
    ) async throws {
        let issuers = Mutex<TestIssuer?>(nil)
        @Sendable func issuer() throws -> TestIssuer {
            guard let issuer = issuers.withLock({ $0 }) else { throw HTTPError(.serviceUnavailable) }
            return issuer
        }
        let router = Router()
        router.get(".well-known/openid-configuration") { _, _ in try Self.json(issuer().discovery()) }
        router.get("keys") { _, _ in try await Self.json(issuer().keys()) }
        router.get("authorize") { request, _ in try issuer().authorize(request) }
        router.post("token") { request, _ in try await issuer().token(request) }
        try await LocalServer.run(router) { port in
            let running = TestIssuer(port: port, now: now)
            issuers.withLock { $0 = running }
            try await HTTPClient.withHTTPClient(
                configuration: HTTPClient.Configuration(redirectConfiguration: .disallow)
            ) { try await test(running, $0) }
        }
    }

    private func discovery() -> JSONValue {
        let document: [String: JSONValue] = [
            "issuer": .text(self.url), "authorization_endpoint": .text("\(self.url)/authorize"),
            "token_endpoint": .text("\(self.url)/token"), "jwks_uri": .text("\(self.url)/keys"),
            "end_session_endpoint": .text("\(self.url)/end"),
            "response_types_supported": .array([.text("code")]),
            "subject_types_supported": .array([.text("public")]),
            "id_token_signing_alg_values_supported": .array([.text("ES256")]),
            "code_challenge_methods_supported": .array([.text("S256")]),
            "authorization_response_iss_parameter_supported": .bool(true),
        ]
        return .object(document.merging(self.faults.discovery) { $1 })
    }

    private func keys() async throws -> JSONValue {
        let point = self.key.publicKey.parameters
        return .object([
            "keys": .array([
                .object([
                    "kty": .text("EC"), "crv": .text("P-256"), "use": .text("sig"), "alg": .text("ES256"),
                    "kid": .text("k1"), "x": .text(Self.urlText(point?.x ?? "")),
                    "y": .text(Self.urlText(point?.y ?? "")),
                ])
            ])
        ])
    }

    private func authorize(_ request: Request) throws -> Response {
        let asked = request.uri.queryParameters
        let redirect = asked["redirect_uri"].map(String.init) ?? ""
        var answer = ["state": asked["state"].map(String.init) ?? "", "iss": self.url]
        if let error = self.faults.error {
            answer["error"] = error
        } else {
            guard asked["response_type"] == "code", asked["code_challenge_method"] == "S256" else {
                throw HTTPError(.badRequest)
            }
            let code = UUID().uuidString
            let grant = Grant(
                challenge: asked["code_challenge"].map(String.init) ?? "",
                nonce: asked["nonce"].map(String.init) ?? "",
                redirect: redirect,
                asksAgain: asked["prompt"] == "login"
            )
            self.state.withLock {
                $0.grants[code] = grant
                $0.secrets.append(code)
            }
            answer["code"] = code
        }
        return Response(status: .found, headers: [.location: redirect + WebAddress.query(answer)])
    }

    private func token(_ request: Request) async throws -> Response {
        let faults = self.faults
        try await Task.sleep(for: faults.delay)
        let form = FormText(String(buffer: try await request.body.collect(upTo: 65_536))).values
        let basic = "Basic " + Data("console:a%20secret".utf8).base64EncodedString()
        guard request.headers[.authorization] == basic else {
            return try Self.json(.object(["error": .text("invalid_client")]), status: .unauthorized)
        }
        let verifier = form["code_verifier"] ?? ""
        let grant = self.state.withLock { state in
            state.secrets.append(verifier)
            return state.grants.removeValue(forKey: form["code"] ?? "")
        }
        let challenge = Self.urlText(Data(SHA256.hash(data: Data(verifier.utf8))).base64EncodedString())
        guard let grant, grant.challenge == challenge, grant.redirect == form["redirect_uri"] else {
            return try Self.json(.object(["error": .text("invalid_grant")]), status: .badRequest)
        }
        let idToken = try await self.idToken(for: grant)
        self.state.withLock { $0.secrets.append(idToken) }
        return try Self.json(
            .object([
                "access_token": .text("opaque"), "token_type": .text("Bearer"), "id_token": .text(idToken),
                "padding": .text(String(repeating: "x", count: faults.padding)),
            ])
        )
    }

    private func idToken(for grant: Grant) async throws -> String {
        let now = self.now().timeIntervalSince1970.rounded()
        var claims: [String: JSONValue] = [
            "iss": .text(self.url), "sub": .text(self.subject), "aud": .text("console"), "nonce": .text(grant.nonce),
            "iat": .number(Decimal(now)), "exp": .number(Decimal(now + 300)),
            "auth_time": .number(Decimal(grant.asksAgain ? now : now - 3_600)),
            "name": .text("Jane <b>Doe</b>"), "groups": .array([.text("studio-desk")]),
        ]
        claims.merge(self.faults.claims) { $1 }
        let payload = claims.filter { $0.value != .null }
        switch self.faults.signing {
        case .own: return try await Self.signed(payload, by: self.key, as: "k1")
        case .stranger: return try await Self.signed(payload, by: self.strangerKey, as: "k1")
        case .unpublished: return try await Self.signed(payload, by: self.strangerKey, as: "k2")
        case .nothing: return try Self.text(#"{"alg":"none"}"#, payload) + "."
        case .publicKeyAsSecret:
            let input = try Self.text(#"{"alg":"HS256","kid":"k1"}"#, payload)
            let secret = SymmetricKey(data: Data(self.key.publicKey.pemRepresentation.utf8))
            let code = Data(HMAC<SHA256>.authenticationCode(for: Data(input.utf8), using: secret))
            return input + "." + Self.urlText(code.base64EncodedString())
        }
    }

    private static func signed(_ claims: [String: JSONValue], by key: ES256PrivateKey, as id: String) async throws
        -> String
    {
        let input = try self.text(#"{"alg":"ES256","kid":"\#(id)"}"#, claims)
        let private256 = try P256.Signing.PrivateKey(pemRepresentation: key.pemRepresentation)
        let signature = try private256.signature(for: Data(input.utf8)).rawRepresentation
        return input + "." + self.urlText(signature.base64EncodedString())
    }

    private static func text(_ header: String, _ claims: [String: JSONValue]) throws -> String {
        let payload = try JSONEncoder().encode(JSONValue.object(claims))
        return self.urlText(Data(header.utf8).base64EncodedString()) + "."
            + self.urlText(payload.base64EncodedString())
    }

    private static func urlText(_ text: String) -> String {
        text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    private static func json(_ value: JSONValue, status: HTTPResponse.Status = .ok) throws -> Response {
        Response(
            status: status,
            headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: try JSONEncoder().encode(value)))
        )
    }
}
