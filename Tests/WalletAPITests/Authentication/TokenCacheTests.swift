import AsyncHTTPClient
import Crypto
import Foundation
import JOSE
import JSON
import Logging
import Testing
import Wallet

@testable import WalletAPI

/// Tests that a cached token is accepted only as long as a full verification would accept it.
@Suite struct TokenCacheTests {
    let forge = TokenForge()
    let clock = TestClock()

    private func verifier(jwksURL: String? = nil) async throws -> TokenVerifier {
        let issuer = IssuerConfiguration(
            issuer: TokenForge.issuer,
            audiences: [TokenForge.audience],
            sharedSecret: jwksURL == nil ? self.forge.secret : nil,
            jwksURL: jwksURL
        )
        var configuration = AuthenticationConfiguration(issuers: [issuer])
        configuration.keySets = .loopback
        configuration.keySets.maximumAge = 60
        configuration.cachedTokens = 100
        return try TokenVerifier(
            configuration: configuration,
            httpClient: .shared,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            now: self.clock.now
        )
    }

    private func claims(_ user: String = "user-1") -> [String: any Sendable] {
        let now = Int(self.clock.now().timeIntervalSince1970)
        return TokenForge.claims(subject: user, ["iat": now, "exp": now + 600])
    }

    @Test func `a repeated token gives the same result`() async throws {
        let verifier = try await self.verifier()
        let token = try self.forge.shared(self.claims())
        for _ in 0..<3 {
            let bearer = try await verifier.bearer(of: token)
            #expect(bearer.user == UserID(rawValue: "user-1"))
            #expect(
                bearer.issuedAt == Date(timeIntervalSince1970: self.clock.now().timeIntervalSince1970.rounded(.down))
            )
            #expect(bearer.remaining > .seconds(600))
        }
    }

    @Test func `a token from the future is refused, even if it is cached`() async throws {
        let verifier = try await self.verifier()
        let now = Int(self.clock.now().timeIntervalSince1970)
        func token(issuedIn seconds: Int, _ changes: [String: any Sendable] = [:]) throws -> String {
            let claims = TokenForge.claims(["iat": now + seconds, "exp": now + 7_200])
            return try self.forge.shared(claims.merging(changes) { $1 })
        }
        for bad in [61, 3_600] {
            for changes in [[:], ["is_anonymous": true]] as [[String: any Sendable]] {
                let early = try token(issuedIn: bad, changes)
                await #expect(throws: WalletAPIError.self) { try await verifier.user(of: early) }
            }
        }
        let skewed = try token(issuedIn: 59)
        #expect(try await verifier.user(of: skewed).rawValue == "user-1")
        self.clock.advance(-30)
        await #expect(throws: WalletAPIError.self) { try await verifier.user(of: skewed) }
    }

    @Test func `a remembered token expires all the same`() async throws {
        let verifier = try await self.verifier()
        let token = try self.forge.shared(self.claims())
        _ = try await verifier.user(of: token)
        self.clock.advance(661)
        await #expect(throws: WalletAPIError.self) { try await verifier.user(of: token) }
    }

    @Test func `a cached token does not validate another with its claims`() async throws {
        let verifier = try await self.verifier()
        let token = try self.forge.shared(self.claims())
        _ = try await verifier.user(of: token)
        let forged =
            token.split(separator: ".").dropLast().joined(separator: ".") + "." + TokenForge.encode(Data(count: 32))
        await #expect(throws: WalletAPIError.self) { try await verifier.user(of: forged) }
        _ = try await verifier.user(of: token)
    }

    @Test func `a token whose key was withdrawn is refused, remembered or not`() async throws {
        let server = KeyServer()
        try server.publish([self.forge.published()])
        try await server.run { url in
            let verifier = try await self.verifier(jwksURL: url)
            let token = try self.forge.curve(self.claims())
            _ = try await verifier.user(of: token)
            _ = try await verifier.user(of: token)
            try server.publish([TokenForge().published(keyID: "curve-2")])
            self.clock.advance(61)
            // The first request after a minute refreshes the keys in the background.
            _ = try? await verifier.user(of: token)
            while server.callCount < 2 { try await Task.sleep(for: .milliseconds(5)) }
            var isRefused = false
            for _ in 0..<12_000 where !isRefused {
                do {
                    _ = try await verifier.user(of: token)
                    try await Task.sleep(for: .milliseconds(5))
                } catch {
                    isRefused = true
                }
            }
            #expect(isRefused)
        }
    }

    @Test func `no more tokens are remembered than the limit`() throws {
        let header = try JSONDecoder().decode(JOSEHeader.self, from: Data(#"{"alg":"HS256"}"#.utf8))
        for limit in [0, 1, 10, 500] {
            let cache = TokenCache(limit: limit)
            let source = cache.source(issuer: ExactText(TokenForge.issuer), header: header, key: UUID())
            for number in 0..<1_000 {
                let digest = TokenCache.Digest("token \(number)")
                cache.remember(
                    TokenCache.Entry(
                        user: UserID(rawValue: "user-\(number)"),
                        source: source,
                        expiresAt: 1,
                        notBefore: .nan,
                        issuedAt: .nan,
                        isAnonymous: false,
                        profile: nil
                    ),
                    digest
                )
                #expect(cache.count <= limit)
                if let entry = cache.entry(digest) { #expect(entry.user.rawValue == "user-\(number)") }
            }
            #expect(cache.count >= limit / 2)
        }
    }

    @Test func `cached tokens of one key share their common data`() throws {
        let cache = TokenCache(limit: 10)
        let header = try JSONDecoder().decode(JOSEHeader.self, from: Data(#"{"alg":"HS256"}"#.utf8))
        let key = UUID()
        let source = cache.source(issuer: "a", header: header, key: key)
        #expect(cache.source(issuer: "a", header: header, key: key) === source)
        #expect(cache.source(issuer: "b", header: header, key: key) !== source)
        #expect(cache.source(issuer: "a", header: header, key: UUID()) !== source)
        for _ in 0..<100 { _ = cache.source(issuer: "a", header: header, key: UUID()) }
        #expect(cache.source(issuer: "a", header: header, key: key).key == key)
    }
}
