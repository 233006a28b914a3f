import AsyncHTTPClient
import Crypto
import Foundation
import Logging
import Testing
import Wallet
import WalletAPI

@Suite struct SharedSecretTests {
    let forge = TokenForge()

    private func verifier(_ issuers: [IssuerConfiguration]? = nil) async throws -> TokenVerifier {
        let standard = IssuerConfiguration(
            issuer: TokenForge.issuer,
            audiences: [TokenForge.audience],
            sharedSecret: self.forge.secret
        )
        return try TokenVerifier(
            configuration: AuthenticationConfiguration(issuers: issuers ?? [standard]),
            httpClient: .shared,
            logger: Logger(label: "test"),
            now: { TokenForge.now }
        )
    }

    private func refusal(_ token: String) async throws -> WalletAPIError? {
        let verifier = try await self.verifier()
        do {
            _ = try await verifier.user(of: token)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a valid token identifies its subject`() async throws {
        let user = try await self.verifier().user(of: self.forge.shared(TokenForge.claims()))
        #expect(user == UserID(rawValue: "user-1"))
    }

    @Test func `an audience list that contains ours is accepted`() async throws {
        let claims = TokenForge.claims(["aud": ["other", TokenForge.audience]])
        #expect(try await self.refusal(self.forge.shared(claims)) == nil)
    }

    @Test func `clocks may differ by a minute and no more`() async throws {
        let now = Int(TokenForge.now.timeIntervalSince1970)
        #expect(try await self.refusal(self.forge.shared(TokenForge.claims(["exp": now - 59]))) == nil)
        #expect(try await self.refusal(self.forge.shared(TokenForge.claims(["exp": now - 60]))) != nil)
        #expect(try await self.refusal(self.forge.shared(TokenForge.claims(["nbf": now + 60]))) == nil)
        #expect(try await self.refusal(self.forge.shared(TokenForge.claims(["nbf": now + 61]))) != nil)
    }

    static let badClaims: [(String, [String: any Sendable])] = [
        ("expired", TokenForge.claims(["exp": 1])),
        ("other issuer", TokenForge.claims(issuer: "https://evil.example")),
        ("other audience", TokenForge.claims(["aud": "someone-else"])),
        ("no audience", TokenForge.claims(["aud": [String]()])),
        ("no subject", TokenForge.claims(subject: nil)),
        ("empty subject", TokenForge.claims(subject: "")),
        ("long subject", TokenForge.claims(subject: String(repeating: "x", count: 256))),
        ("subject with NUL", TokenForge.claims(subject: "a\u{0}b")),
        ("subject with a line feed", TokenForge.claims(subject: "a\nb")),
        ("anon key", TokenForge.claims(["role": "anon"])),
        ("service key", TokenForge.claims(["role": "service_role"])),
        ("expiry as a text", TokenForge.claims(["exp": "9999999999"])),
        ("subject as a number", TokenForge.claims(["sub": 42])),
    ]

    @Test(arguments: Self.badClaims.map(\.0))
    func `a signed token with invalid claims is refused`(_ name: String) async throws {
        let claims = try #require(Self.badClaims.first { $0.0 == name }?.1)
        let refusal = try await self.refusal(self.forge.shared(claims))
        #expect(refusal?.code == .unauthenticated)
    }

    @Test func `a token without expiry is refused`() async throws {
        var claims = TokenForge.claims()
        claims["exp"] = nil
        #expect(try await self.refusal(self.forge.shared(claims))?.code == .unauthenticated)
    }

    @Test(arguments: ["none", "None", "HS384", "HS512", "PS256", "EdDSA", ""])
    func `no other algorithm is accepted`(_ algorithm: String) async throws {
        let unsigned = try TokenForge.token(["alg": algorithm], TokenForge.claims()) { _ in Data() }
        #expect(try await self.refusal(unsigned)?.code == .unauthenticated)
        let signed = try self.forge.shared(TokenForge.claims(), header: ["alg": algorithm])
        #expect(try await self.refusal(signed)?.code == .unauthenticated)
    }

    @Test func `a token signed with another secret is refused`() async throws {
        let other = TokenForge(secret: "another-secret-of-more-than-32-bytes!")
        #expect(try await self.refusal(other.shared(TokenForge.claims()))?.code == .unauthenticated)
    }

    @Test func `a modified payload is refused`() async throws {
        let good = try self.forge.shared(TokenForge.claims()).split(separator: ".")
        let other = try self.forge.shared(TokenForge.claims(subject: "user-2")).split(separator: ".")
        #expect(try await self.refusal("\(good[0]).\(other[1]).\(good[2])")?.code == .unauthenticated)
    }

    @Test(arguments: [
        "", ".", "..", "a.b", "a.b.c.d", "sb_publishable_abc", "sb_secret_abc.def.ghi", "é.é.é", "e30.e30.e30",
    ])
    func `text that is not a token is refused`(_ text: String) async throws {
        #expect(try await self.refusal(text)?.code == .unauthenticated)
    }

    @Test func `an oversized token is refused before it is decoded`() async throws {
        let token = try self.forge.shared(TokenForge.claims(["padding": String(repeating: "x", count: 8192)]))
        #expect(try await self.refusal(token)?.reason == "The token is too long.")
    }

    @Test func `a header that names an extension or another type is refused`() async throws {
        let critical = try self.forge.shared(TokenForge.claims(), header: ["crit": ["b64"], "b64": false])
        #expect(try await self.refusal(critical)?.code == .unauthenticated)
        let logout = try self.forge.shared(TokenForge.claims(), header: ["typ": "logout+jwt"])
        #expect(try await self.refusal(logout)?.code == .unauthenticated)
    }

    @Test func `the same subject of two issuers is two users`() async throws {
        let second = TokenForge(secret: "the-second-secret-of-more-than-32-bytes")
        let verifier = try await self.verifier([
            IssuerConfiguration(issuer: "https://a.example", audiences: ["a"], sharedSecret: self.forge.secret),
            IssuerConfiguration(
                issuer: "https://b.example",
                audiences: ["b"],
                prefix: "b:",
                sharedSecret: second.secret
            ),
        ])
        let first = try self.forge.shared(TokenForge.claims(issuer: "https://a.example", ["aud": "a"]))
        let other = try second.shared(TokenForge.claims(issuer: "https://b.example", ["aud": "b"]))
        #expect(try await verifier.user(of: first).rawValue == "user-1")
        #expect(try await verifier.user(of: other).rawValue == "b:user-1")

        // The first issuer cannot name the second issuer's users by adding the prefix to a subject.
        let borrowed = try self.forge.shared(
            TokenForge.claims(issuer: "https://a.example", subject: "b:user-1", ["aud": "a"])
        )
        await #expect(throws: WalletAPIError.self) { try await verifier.user(of: borrowed) }
        // The secret of one issuer cannot sign tokens of the other.
        let crossed = try self.forge.shared(TokenForge.claims(issuer: "https://b.example", ["aud": "b"]))
        await #expect(throws: WalletAPIError.self) { try await verifier.user(of: crossed) }
    }
}
