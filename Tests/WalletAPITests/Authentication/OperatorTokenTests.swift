import AsyncHTTPClient
import Foundation
import Logging
import Testing
import Wallet
import WalletAPI

@Suite struct OperatorTokenTests {
    let users = TokenForge()
    let operators = TokenForge(secret: "the-operators-secret-is-another-one!")
    let operatorIssuer = "https://operators.example"

    private func verifier() async throws -> TokenVerifier {
        try TokenVerifier(
            configuration: AuthenticationConfiguration(issuers: [
                IssuerConfiguration(
                    issuer: TokenForge.issuer,
                    audiences: [TokenForge.audience],
                    sharedSecret: self.users.secret
                ),
                IssuerConfiguration(
                    issuer: self.operatorIssuer,
                    audiences: [TokenForge.audience],
                    purpose: .operators,
                    sharedSecret: self.operators.secret
                ),
            ]),
            httpClient: .shared,
            logger: Logger(label: "test"),
            now: { TokenForge.now }
        )
    }

    @Test func `an operator's token identifies the actor`() async throws {
        let token = try self.operators.shared(TokenForge.claims(issuer: self.operatorIssuer, subject: "mia"))
        #expect(try await self.verifier().actor(of: token).id.rawValue == "mia")
    }

    @Test func `a role makes nobody an operator`() async throws {
        let token = try self.users.shared(TokenForge.claims(["role": "operator", "is_operator": true]))
        let verifier = try await self.verifier()
        await #expect(throws: WalletAPIError.self) { try await verifier.actor(of: token) }
    }

    @Test func `an operator is not a user`() async throws {
        let token = try self.operators.shared(TokenForge.claims(issuer: self.operatorIssuer))
        let verifier = try await self.verifier()
        await #expect(throws: WalletAPIError.self) { try await verifier.user(of: token) }
    }

    @Test func `an operator's token lives an hour at most and says since when`() async throws {
        let verifier = try await self.verifier()
        let now = Int(TokenForge.now.timeIntervalSince1970)
        func token(_ changes: [String: any Sendable], without name: String? = nil) throws -> String {
            var claims = TokenForge.claims(issuer: self.operatorIssuer, changes)
            if let name { claims[name] = nil }
            return try self.operators.shared(claims)
        }
        #expect(try await verifier.actor(of: token(["iat": now, "exp": now + 3600])).id.rawValue == "user-1")
        for bad in [
            try token(["iat": now, "exp": now + 3601]),
            try token(["iat": now + 61, "exp": now + 600]),
            try token([:], without: "iat"),
            try token([:], without: "sub"),
            try token(["sub": "  "]),
            try token(["sub": "mia\u{202E}"]),
        ] {
            await #expect(throws: WalletAPIError.self) { try await verifier.actor(of: bad) }
        }
    }

    static let contradictions: [(String, [IssuerConfiguration])] = {
        let secret = Array("a-shared-secret-of-more-than-32-bytes".utf8)
        let other = Array("another-secret-of-more-than-32-bytes!".utf8)
        func issuer(
            _ name: String,
            _ secret: [UInt8]?,
            _ purpose: IssuerConfiguration.Purpose = .users,
            prefix: String = "",
            audiences: [String] = ["a"],
            jwks: String? = nil
        ) -> IssuerConfiguration {
            IssuerConfiguration(
                issuer: name,
                audiences: audiences,
                purpose: purpose,
                prefix: prefix,
                sharedSecret: secret,
                jwksURL: jwks
            )
        }
        return [
            ("nobody", []),
            ("operators only", [issuer("o", secret, .operators)]),
            ("two empty prefixes", [issuer("a", secret), issuer("b", other)]),
            ("one prefix twice", [issuer("a", secret, prefix: "x:"), issuer("b", other, prefix: "x:")]),
            ("one iss twice", [issuer("a", secret), issuer("a", other, prefix: "b:")]),
            ("no key", [issuer("a", nil)]),
            ("no audience", [issuer("a", secret, audiences: [])]),
            ("a short secret", [issuer("a", Array("short".utf8))]),
            ("a shared operator secret", [issuer("a", secret), issuer("o", secret, .operators)]),
            ("a shared users' secret", [issuer("a", secret), issuer("b", secret, prefix: "b:")]),
            (
                "a shared key set",
                [
                    issuer("a", nil, jwks: "https://keys.example/jwks.json"),
                    issuer("o", nil, .operators, jwks: "HTTPS://Keys.example:443/jwks.json#top"),
                ]
            ),
            ("plain http", [issuer("a", nil, jwks: "http://keys.example/jwks.json")]),
            ("plain loopback", [issuer("a", nil, jwks: "http://127.0.0.1/jwks.json")]),
            ("a file", [issuer("a", nil, jwks: "file:///etc/passwd")]),
        ]
    }()

    @Test(arguments: Self.contradictions.map(\.0))
    func `a contradictory configuration is refused`(_ name: String) throws {
        let issuers = try #require(Self.contradictions.first { $0.0 == name }?.1)
        let error = #expect(throws: WalletAPIError.self) {
            try TokenVerifier(
                configuration: AuthenticationConfiguration(issuers: issuers),
                httpClient: .shared,
                logger: Logger(label: "test")
            )
        }
        #expect(error?.code == .invalidConfiguration)
    }
}
