import AsyncHTTPClient
import Crypto
import Foundation
import HTTPTypes
import Logging
import Testing
import Wallet
import WalletAPI

@Suite struct KeySetTests {
    let server = KeyServer()
    let forge = TokenForge()
    let clock = TestClock()

    private func verifier(
        _ url: String,
        secret: [UInt8]? = nil,
        keySets: KeySetConfiguration = .loopback
    ) async throws -> TokenVerifier {
        let issuer = IssuerConfiguration(
            issuer: TokenForge.issuer,
            audiences: [TokenForge.audience],
            sharedSecret: secret,
            jwksURL: url
        )
        var configuration = AuthenticationConfiguration(issuers: [issuer])
        configuration.keySets = keySets
        return try TokenVerifier(
            configuration: configuration,
            httpClient: .shared,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            now: self.clock.now
        )
    }

    /// Returns the claims of a token that is valid at the clock's time.
    private func claims() -> [String: any Sendable] {
        let now = Int(self.clock.now().timeIntervalSince1970)
        return TokenForge.claims(["iat": now, "exp": now + 600])
    }

    private func code(_ verifier: TokenVerifier, _ token: String) async -> WalletAPIError.Code? {
        do {
            _ = try await verifier.user(of: token)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `published keys of both types are accepted and fetched once`() async throws {
        let rsa = try RSAForge()
        try self.server.publish([
            ["kty": "OKP", "crv": "X25519", "kid": "foreign", "x": "AA"], ["nonsense": true],
            self.forge.published(), rsa.published(),
        ])
        try await self.server.run { url in
            let verifier = try await self.verifier(url)
            #expect(try await verifier.user(of: self.forge.curve(self.claims())).rawValue == "user-1")
            #expect(try await verifier.user(of: rsa.token(self.claims())).rawValue == "user-1")
            #expect(self.server.callCount == 1)
        }
    }

    @Test func `a public key is never taken for a shared secret`() async throws {
        try self.server.publish([self.forge.published()])
        try await self.server.run { url in
            let publicKey = self.forge.curveKey.publicKey
            let texts = [
                Data(publicKey.pemRepresentation.utf8), publicKey.rawRepresentation, publicKey.derRepresentation,
            ]
            for (index, key) in texts.enumerated() {
                let forged = try TokenForge.token(["alg": "HS256", "kid": "curve-1"], self.claims()) { input in
                    Data(HMAC<SHA256>.authenticationCode(for: input, using: SymmetricKey(data: key)))
                }
                let withoutSecret = try await self.verifier(url)
                #expect(await self.code(withoutSecret, forged) == .unauthenticated, "form \(index)")
                let withSecret = try await self.verifier(url, secret: self.forge.secret)
                #expect(await self.code(withSecret, forged) == .unauthenticated, "form \(index)")
            }
        }
    }

    @Test func `a key is used with its own algorithm only`() async throws {
        let rsa = try RSAForge()
        try self.server.publish([self.forge.published(), rsa.published()])
        try await self.server.run { url in
            let verifier = try await self.verifier(url)
            let rsaAsCurve = try self.forge.curve(self.claims(), keyID: "rsa-1")
            #expect(await self.code(verifier, rsaAsCurve) == .unauthenticated)
            let curveAsRSA = try rsa.token(self.claims(), keyID: "curve-1")
            #expect(await self.code(verifier, curveAsRSA) == .unauthenticated)
            let unsigned = try TokenForge.token(["alg": "none", "kid": "curve-1"], self.claims()) { _ in Data() }
            #expect(await self.code(verifier, unsigned) == .unauthenticated)
            #expect(await self.code(verifier, try self.forge.curve(self.claims(), keyID: nil)) == .unauthenticated)
        }
    }

    @Test func `a published key with another curve or use is ignored`() async throws {
        var encryption = self.forge.published(keyID: "encryption")
        encryption["use"] = "enc"
        var other = self.forge.published(keyID: "other")
        other["alg"] = "ES384"
        try self.server.publish([encryption, other, self.forge.published()])
        try await self.server.run { url in
            let verifier = try await self.verifier(url)
            for keyID in ["encryption", "other"] {
                #expect(
                    await self.code(verifier, try self.forge.curve(self.claims(), keyID: keyID)) == .unauthenticated
                )
            }
        }
    }

    @Test func `a rotated key is found, and invented ones cost one fetch an interval`() async throws {
        try self.server.publish([self.forge.published()])
        try await self.server.run { url in
            let verifier = try await self.verifier(url)
            #expect(await self.code(verifier, try self.forge.curve(self.claims())) == nil)

            let rotated = TokenForge()
            try self.server.publish([self.forge.published(), rotated.published(keyID: "curve-2")])
            // Within the interval there is no further fetch, whatever the number of unknown key ids.
            for index in 0..<50 {
                let token = try self.forge.curve(self.claims(), keyID: "invented-\(index)")
                #expect(await self.code(verifier, token) == .unauthenticated)
            }
            #expect(self.server.callCount == 1)
            self.clock.advance(31)
            #expect(await self.code(verifier, try rotated.curve(self.claims(), keyID: "curve-2")) == nil)
            #expect(self.server.callCount == 2)
        }
    }

    @Test func `many callers share one fetch`() async throws {
        try self.server.publish([self.forge.published()])
        self.server.change { $0.delay = .milliseconds(200) }
        try await self.server.run { url in
            let verifier = try await self.verifier(url)
            let token = try self.forge.curve(self.claims())
            let codes = await withTaskGroup(of: WalletAPIError.Code?.self) { group in
                for _ in 0..<20 { group.addTask { await self.code(verifier, token) } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(codes.allSatisfy { $0 == nil })
            #expect(self.server.callCount == 1)
        }
    }

    @Test func `unreachable keys are a service error, not a token error`() async throws {
        self.server.change { $0.status = .internalServerError }
        try await self.server.run { url in
            let verifier = try await self.verifier(url)
            let token = try self.forge.curve(self.claims())
            #expect(await self.code(verifier, token) == .keysUnavailable)
            #expect(await self.code(verifier, token) == .keysUnavailable)
            #expect(self.server.callCount == 1)
            try self.server.publish([self.forge.published()])
            self.clock.advance(2)
            #expect(await self.code(verifier, token) == nil)
        }
    }

    @Test func `a failed fetch keeps the old keys`() async throws {
        try self.server.publish([self.forge.published()])
        try await self.server.run { url in
            let verifier = try await self.verifier(url)
            #expect(await self.code(verifier, try self.forge.curve(self.claims())) == nil)
            self.server.change { $0.body = Data("<html>sorry</html>".utf8) }
            self.clock.advance(31)
            let unknown = try self.forge.curve(self.claims(), keyID: "unknown")
            #expect(await self.code(verifier, unknown) == .keysUnavailable)
            #expect(await self.code(verifier, try self.forge.curve(self.claims())) == nil)
        }
    }

    @Test func `a hanging issuer does not delay known keys`() async throws {
        try self.server.publish([self.forge.published()])
        try await self.server.run { url in
            let verifier = try await self.verifier(url)
            #expect(await self.code(verifier, try self.forge.curve(self.claims())) == nil)
            self.server.change { $0.delay = .seconds(60) }
            self.clock.advance(3_600)
            let start = ContinuousClock.now
            let token = try self.forge.curve(self.claims())
            for _ in 0..<20 { #expect(await self.code(verifier, token) == nil) }
            #expect(ContinuousClock.now - start < .seconds(30))
            self.server.change { $0.delay = .zero }
        }
    }

    @Test func `a withdrawn key is removed once the set is old`() async throws {
        try self.server.publish([self.forge.published()])
        try await self.server.run { url in
            let verifier = try await self.verifier(url)
            #expect(await self.code(verifier, try self.forge.curve(self.claims())) == nil)
            try self.server.publish([TokenForge().published(keyID: "curve-2")])
            self.clock.advance(601)
            let token = try self.forge.curve(self.claims())
            // The request that triggers the refresh still uses the cached key; soon after, the key is removed.
            #expect(await self.code(verifier, token) == nil)
            var code: WalletAPIError.Code?
            for _ in 0..<3_000 where code == nil {
                try await Task.sleep(for: .milliseconds(20))
                code = await self.code(verifier, token)
            }
            #expect(code == .unauthenticated)
        }
    }

    @Test func `a set that is too large or too slow or elsewhere is not read`() async throws {
        try await self.server.run { url in
            var small = KeySetConfiguration.loopback
            small.timeout = .milliseconds(300)
            small.maximumBytes = 2_000
            let token = try self.forge.curve(self.claims())
            try self.server.publish([self.forge.published(), ["padding": String(repeating: "x", count: 4_000)]])
            #expect(await self.code(try await self.verifier(url, keySets: small), token) == .keysUnavailable)

            try self.server.publish([self.forge.published()])
            self.server.change { $0.delay = .seconds(2) }
            #expect(await self.code(try await self.verifier(url, keySets: small), token) == .keysUnavailable)

            self.server.change { $0 = KeyServer.Behaviour(redirect: "http://169.254.169.254/latest") }
            #expect(await self.code(try await self.verifier(url, keySets: small), token) == .keysUnavailable)
        }
    }
}
