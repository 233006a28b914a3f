import AsyncHTTPClient
import Crypto
import CryptoExtras
import Foundation
import HTTPTypes
import Testing

@testable import WalletAPI

@Suite struct PushVerifierTests {
    private static let audience = "https://wallet.example/webhooks/google-play"
    private static let email = "push@project.iam.gserviceaccount.com"

    private static func claims(_ changes: [String: any Sendable] = [:]) -> [String: any Sendable] {
        let base: [String: any Sendable] = [
            "iss": "https://accounts.google.com", "aud": Self.audience, "email": Self.email, "email_verified": true,
            "sub": "1", "iat": Int(TokenForge.now.timeIntervalSince1970),
            "exp": Int(TokenForge.now.timeIntervalSince1970) + 3_600,
        ]
        return base.merging(changes) { $1 }
    }

    private func verifier(_ url: String) async throws -> PushVerifier {
        var configuration = PushConfiguration(audience: Self.audience, email: Self.email, keysURL: url)
        configuration.keySets.allowsPlainLoopback = true
        return try PushVerifier(
            configuration: configuration,
            httpClient: .shared,
            logger: .silent,
            now: { TokenForge.now }
        )
    }

    @Test func `the push service's own token is accepted, under both names of its issuer`() async throws {
        let forge = try RSAForge()
        let server = KeyServer()
        try server.publish([try forge.published()])
        try await server.run { url in
            let verifier = try await self.verifier(url)
            for issuer in ["https://accounts.google.com", "accounts.google.com"] {
                try await verifier.verify(try forge.token(Self.claims(["iss": issuer])))
            }
            try await verifier.verify(try forge.token(Self.claims(["aud": ["other", Self.audience]])))
        }
    }

    @Test func `another audience, account, time, issuer or key is refused`() async throws {
        let (forge, stranger) = (try RSAForge(), try RSAForge())
        let server = KeyServer()
        try server.publish([try forge.published()])
        let now = Int(TokenForge.now.timeIntervalSince1970)
        let changes: [[String: any Sendable]] = [
            ["aud": "https://other.example"], ["aud": ""], ["email": "other@project.iam.gserviceaccount.com"],
            ["email": Self.email.uppercased()], ["email": ""], ["email": 7], ["email_verified": false],
            ["email_verified": "true"], ["exp": now - 61], ["nbf": now + 120], ["iat": now + 61],
            ["iss": "https://accounts.google.com.evil"],
            ["iss": TokenForge.issuer],
        ]
        var tokens = try changes.map { try forge.token(Self.claims($0)) }
        for missing in ["aud", "email", "email_verified"] {
            var claims = Self.claims()
            claims[missing] = nil
            tokens.append(try forge.token(claims))
        }
        tokens.append(try stranger.token(Self.claims()))
        tokens.append(try stranger.token(Self.claims(), keyID: "rsa-2"))
        tokens += try Self.disguised(forge)
        try await server.run { [tokens] url in
            let verifier = try await self.verifier(url)
            for token in tokens {
                let error = await #expect(throws: WalletAPIError.self) { try await verifier.verify(token) }
                #expect(error?.code == .unauthenticated)
                #expect(error.map { !"\($0)".contains(token) } == true)
            }
        }
    }

    @Test func `unavailable keys are not the sender's fault`() async throws {
        let forge = try RSAForge()
        let server = KeyServer()
        server.change { $0.status = .internalServerError }
        try await server.run { url in
            let verifier = try await self.verifier(url)
            let token = try forge.token(Self.claims())
            let error = await #expect(throws: WalletAPIError.self) { try await verifier.verify(token) }
            #expect(error?.code == .keysUnavailable)
        }
    }

    /// Returns tokens signed with the public key as a secret, with a curve key, and without a signature.
    private static func disguised(_ forge: RSAForge) throws -> [String] {
        let secrets = [Data(forge.key.publicKey.pemRepresentation.utf8), forge.key.publicKey.derRepresentation]
        let symmetric = try secrets.map { secret in
            try TokenForge.token(["alg": "HS256", "kid": "rsa-1"], Self.claims()) { input in
                Data(HMAC<SHA256>.authenticationCode(for: input, using: SymmetricKey(data: secret)))
            }
        }
        let curve = try TokenForge().curve(Self.claims(), keyID: "rsa-1")
        let unsigned = try TokenForge.token(["alg": "none", "kid": "rsa-1"], Self.claims()) { _ in Data() }
        return symmetric + [curve, unsigned, "a.b.c", ""]
    }
}
