import AsyncHTTPClient
import Foundation
import HTTPTypes
import Logging
import Postgres
import TestSupport
import Testing
import Wallet

@testable import WalletAPI

/// Tests that external names are compared byte by byte, except for the case of a user id that is a UUID.
@Suite struct SpellingTests {
    private static let lower = "6f9619ff-8b86-4d01-b42d-00cf4fc964ff"
    /// The Kelvin sign, which Swift's string comparison treats as equal to "K".
    private static let kelvin = "\u{212A}"
    private let forge = TokenForge()

    private func issuer(_ name: String = TokenForge.issuer, prefix: String = "") -> IssuerConfiguration {
        IssuerConfiguration(
            issuer: name,
            audiences: [TokenForge.audience],
            prefix: prefix,
            sharedSecret: Self.forge(of: name).secret
        )
    }

    /// Returns a forge with the issuer's own secret.
    private static func forge(of issuer: String) -> TokenForge {
        TokenForge(secret: "the secret, of 32 bytes and more, of \(issuer)")
    }

    private func verifier(_ issuers: [IssuerConfiguration]) async throws -> TokenVerifier {
        var configuration = AuthenticationConfiguration(issuers: issuers)
        configuration.keySets = .loopback
        return try TokenVerifier(
            configuration: configuration,
            httpClient: .shared,
            logger: .silent,
            now: { TokenForge.now }
        )
    }

    private func token(
        _ subject: String,
        of issuer: String = TokenForge.issuer,
        signedBy signer: String? = nil
    ) throws -> String {
        try Self.forge(of: signer ?? issuer).shared(TokenForge.claims(issuer: issuer, subject: subject))
    }

    @Test func `a UUID subject is one user in either case, even after a prefix of hex digits`() async throws {
        let plain = try await self.verifier([self.issuer()])
        let prefixed = try await self.verifier([self.issuer(prefix: "6F9619FF-")])
        for subject in [Self.lower, Self.lower.uppercased()] {
            #expect(try await plain.user(of: self.token(subject)).rawValue == Self.lower)
            let rest = String(subject.dropFirst(9))
            #expect(try await prefixed.user(of: self.token(rest)).rawValue == Self.lower)
        }
        let other = try await self.verifier([self.issuer(prefix: "other:")])
        let user = try await other.user(of: self.token(Self.lower.uppercased()))
        #expect(user.rawValue == "other:" + Self.lower.uppercased())
    }

    @Test func `no spelling of a UUID borrows another issuer's prefix`() async throws {
        let named = "https://named.example"
        for (own, prefix) in [("", "6F9619ff-"), ("", "6f9619ff-"), ("6f9619FF-", "6F9619ff-")] {
            let verifier = try await self.verifier([self.issuer(prefix: own), self.issuer(named, prefix: prefix)])
            for subject in [Self.lower, Self.lower.uppercased()] {
                let token = try self.token(String(subject.dropFirst(own.count)))
                await #expect(throws: WalletAPIError.self, "\(own) \(prefix)") { try await verifier.user(of: token) }
            }
            _ = try await verifier.user(of: self.token("somebody"))
        }
    }

    @Test func `a lookalike issuer, audience or key is a different one`() async throws {
        let (issuer, lookalike) = ("https://K.example", "https://\(Self.kelvin).example")
        let verifier = try await self.verifier([self.issuer(issuer)])
        _ = try await verifier.user(of: self.token("anna", of: issuer))
        let disguised = try self.token("anna", of: lookalike, signedBy: issuer)
        await #expect(throws: WalletAPIError.self) { try await verifier.user(of: disguised) }
        // Two issuers look alike, but neither gets the other's prefix.
        let both = try await self.verifier([
            self.issuer(issuer, prefix: "us\u{E9}:"),
            self.issuer(lookalike, prefix: "use\u{301}:"),
        ])
        #expect(try await both.user(of: self.token("x", of: issuer)) == UserID(rawValue: "us\u{E9}:x"))
        #expect(try await both.user(of: self.token("x", of: lookalike)) == UserID(rawValue: "use\u{301}:x"))

        var other = self.issuer()
        other.audiences = ["K"]
        let strict = try await self.verifier([other])
        for (audience, isAccepted) in [("K", true), (Self.kelvin, false)] {
            let token = try Self.forge(of: TokenForge.issuer).shared(TokenForge.claims(["aud": audience]))
            let user = try? await strict.user(of: token)
            #expect((user != nil) == isAccepted)
        }
    }

    @Test func `a key is found by its exact id only`() async throws {
        let server = KeyServer()
        try server.publish([self.forge.published(keyID: "K")])
        try await server.run { url in
            let issuer = IssuerConfiguration(
                issuer: TokenForge.issuer,
                audiences: [TokenForge.audience],
                jwksURL: url
            )
            let verifier = try await self.verifier([issuer])
            _ = try await verifier.user(of: self.forge.curve(TokenForge.claims(), keyID: "K"))
            let disguised = try self.forge.curve(TokenForge.claims(), keyID: Self.kelvin)
            await #expect(throws: WalletAPIError.self) { try await verifier.user(of: disguised) }
        }
    }

    @Test func `a push of a lookalike service account is refused`() async throws {
        let forge = try RSAForge()
        let server = KeyServer()
        try server.publish([try forge.published()])
        try await server.run { url in
            var configuration = PushConfiguration(audience: "K", email: "K@project.example", keysURL: url)
            configuration.keySets.allowsPlainLoopback = true
            let verifier = try PushVerifier(
                configuration: configuration,
                httpClient: .shared,
                logger: .silent,
                now: { TokenForge.now }
            )
            let claims: [String: any Sendable] = [
                "iss": PushConfiguration.vendorIssuer, "aud": "K", "email": "K@project.example",
                "email_verified": true, "sub": "1", "iat": Int(TokenForge.now.timeIntervalSince1970),
                "exp": Int(TokenForge.now.timeIntervalSince1970) + 600,
            ]
            try await verifier.verify(try forge.token(claims))
            for change in ["aud": Self.kelvin, "email": Self.kelvin + "@project.example"] {
                let token = try forge.token(claims.merging([change.key: change.value]) { $1 })
                await #expect(throws: WalletAPIError.self) { try await verifier.verify(token) }
            }
        }
    }

    @Test func `lookalike user ids have separate quotas, two spellings of one UUID share one`() {
        func taken(_ users: [String]) -> [Bool] {
            let receipts = UserRateLimiter(policy: "receipts", limit: RateLimit(quota: 1, window: 60))
            let requests = RequestLimiter<UserID>(policy: "user", limit: RateLimit(quota: 1, window: 60))
            return users.map(UserID.init(rawValue:)).map { receipts.take($0) && requests.take($0).isAllowed }
        }
        #expect(taken(["us\u{E9}r", "use\u{301}r", "us\u{E9}r"]) == [true, true, false])
        #expect(taken([Self.lower, Self.lower.uppercased()]) == [true, false])
    }
}

/// Tests of one UUID in two spellings, in a store's message and in an app's token.
@Suite(.database, .serialized) struct UserSpellingTests {
    @Test func `RevenueCat's upper-case user id matches a lower-case token`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            _ = try await server.buy(user.uppercased(), separate: true)
            let message = try #require(try await server.messages(of: "revenuecat").last)
            #expect(message.body.contains(user.uppercased()))
            #expect(try await server.postRevenueCat(message.body).status == 200)
            #expect(try await server.credits(of: user) == 100)
            // Every operation for the user finds the same account.
            #expect(try await server.submit(try await server.buy(user, separate: true).receipt, as: user).status == 200)
            #expect(try await server.credits(of: user) == 200)
            #expect(try await server.credits(of: user.uppercased()) == 200)
            let given = try await server.send(
                .post,
                "/operator/adjustments",
                token: try ServerHarness.operatorToken(),
                headers: ["Idempotency-Key": user],
                json: [
                    "user_id": user.uppercased(), "unit": "credit", "amount": 5, "reference": "gift of \(user)",
                    "reason": "gift",
                ]
            )
            #expect(given.status == 201, "\(given.text)")
            #expect((try given.json["adjustment"] as? [String: Any])?["user_id"] as? String == user)
            #expect(try await server.credits(of: user) == 205)
        }
    }

    @Test func `service and database keep a user id in the same form`() async throws {
        let connection = try await TestDatabase.current.connect()
        defer { connection.close() }
        let id = "6F9619ff-8B86-4D01-B42D-00CF4FC964FF"
        var ids = [id, id.lowercased(), id + "0", String(id.dropLast()), "{\(id)}", "", "Ann"]
        ids += ["us\u{E9}r", "use\u{301}r"]
        // Tests each position of the id with valid and invalid characters.
        for place in 0..<36 {
            for letter in ["0", "a", "F", "g", "-", "\u{FF16}", "\u{212A}", "\n"] {
                var letters = Array(id).map(String.init)
                letters[place] = letter
                ids.append(letters.joined())
            }
        }
        for id in ids {
            let rows = try await connection.query("SELECT wallet.canonical_user_id(\(id)) AS kept")
            let kept = try #require(try rows.first?.decode("kept", as: String.self))
            #expect(kept.utf8.elementsEqual(UserID(rawValue: id).rawValue.utf8), "\(id)")
        }
    }

    @Test func `a message with an upper-case id does not recreate a deleted user`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            #expect(try await server.submit(try await server.buy(user, separate: true).receipt, as: user).status == 200)
            #expect(try await server.send(.delete, "/account", as: user).status == 204)
            _ = try await server.buy(user.uppercased(), separate: true)
            let message = try #require(try await server.messages(of: "revenuecat").last)
            #expect(try await server.postRevenueCat(message.body).status == 200)
            let users = try await TestDatabase.current.connect()
            defer { users.close() }
            let known = try await users.query("SELECT FROM wallet.identities WHERE lower(user_id) = \(user)")
            #expect(known.isEmpty)
        }
    }
}
