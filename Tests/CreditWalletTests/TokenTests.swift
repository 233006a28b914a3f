import Crypto
import Foundation
import JWTKit
import Testing

@testable import CreditWallet
@testable import WalletDev

@Suite struct TokenTests {
    private let operators = [
        "AUTH_ISSUERS": "main,staff", "AUTH_STAFF_ISSUER": "https://staff.example", "AUTH_STAFF_AUDIENCES": "staff",
        "AUTH_STAFF_HS256_SECRET": "another-secret-of-at-least-32-bytes", "AUTH_STAFF_PURPOSE": "operators",
    ]

    @Test func `a token is signed with the configured secret and identifies its user`() async throws {
        let result = try await Executable.run(
            ["token", "--user", "user-1", "--ttl", "120", "--role", "member"],
            environment: ServeConfiguration.environment()
        )

        let claims = try await self.claims(of: result.output, secret: ServeConfiguration.secret)
        #expect(claims.sub.value == "user-1")
        #expect(claims.role == "member")
        #expect(claims.iss.value == "https://issuer.example")
        #expect(claims.aud.value == ["authenticated"])
        #expect(claims.exp.value.timeIntervalSince(claims.iat.value) == 120)
    }

    @Test func `many tokens are each for a different user`() async throws {
        let result = try await Executable.run(
            ["token", "--user", "load", "--count", "3"],
            environment: ServeConfiguration.environment()
        )

        var users: [String] = []
        for token in result.output.split(separator: "\n") {
            users.append(try await self.claims(of: String(token), secret: ServeConfiguration.secret).sub.value)
        }
        #expect(users == ["load-1", "load-2", "load-3"])
    }

    @Test func `an operator's token comes from the issuer of operators`() async throws {
        let result = try await Executable.run(
            ["token", "--user", "ada", "--role", "operator"],
            environment: ServeConfiguration.environment().merging(self.operators) { $1 }
        )

        let claims = try await self.claims(of: result.output, secret: "another-secret-of-at-least-32-bytes")
        #expect(claims.iss.value == "https://staff.example")
        #expect(claims.sub.value == "ada")
    }

    @Test(arguments: [
        (["--role", "operator", "--ttl", "86400"], "at most 3600"), (["--role", "admin"], "has no effect"),
        (["--ttl", "9223372036854775807"], "from 1 to 1000000000"), (["--ttl", "0"], "from 1 to 1000000000"),
        (["--role", "service_role"], "has no effect"), (["--role", "anon"], "has no effect"),
    ])
    func `a token that would never work is refused`(options: [String], reason: String) async throws {
        let result = try await Executable.run(
            ["token", "--user", "ada"] + options,
            environment: ServeConfiguration.environment().merging(self.operators) { $1 }
        )

        #expect(result.status == 64)
        #expect(result.output.isEmpty)
        #expect(result.errors.contains(reason), "\(result.errors)")
    }

    @Test func `without an issuer of operators, operator tokens are refused`() async throws {
        let result = try await Executable.run(
            ["token", "--user", "ada", "--role", "operator"],
            environment: ServeConfiguration.environment()
        )

        #expect(result.status == 78)
        #expect(result.output.isEmpty)
    }

    @Test func `the issuer's prefix is removed from the user id`() async throws {
        let environment = ServeConfiguration.environment().merging(["AUTH_MAIN_PREFIX": "main:"]) { $1 }

        let right = try await Executable.run(["token", "--user", "main:7"], environment: environment)
        let wrong = try await Executable.run(["token", "--user", "7"], environment: environment)

        #expect(try await self.claims(of: right.output, secret: ServeConfiguration.secret).sub.value == "7")
        #expect(wrong.status == 78)
    }

    @Test func `a dev directory signs with its own secret, another directory is refused`() async throws {
        let home = try TemporaryDirectory()
        let directory = DataDirectory("\(home.path)/data")
        try directory.create()
        let secrets = try DevSecrets.loadOrCreate(in: directory)

        let result = try await Executable.run(["token", "--user", "demo", "--data", directory.path])
        let nowhere = try await Executable.run(["token", "--user", "demo", "--data", "\(home.path)/nowhere"])

        #expect(try await self.claims(of: result.output, secret: secrets.userToken).sub.value == "demo")
        #expect(nowhere.status == 78)
        #expect(nowhere.output.isEmpty)
    }

    @Test func `secrets are generated once, are different, and only their owner can read them`() throws {
        let home = try TemporaryDirectory()
        let directory = DataDirectory(home.path)
        try directory.create()

        let first = try DevSecrets.loadOrCreate(in: directory)
        let second = try DevSecrets.loadOrCreate(in: directory)

        #expect(first.userToken == second.userToken)
        #expect(first.userToken != first.operatorToken)
        #expect(first.userToken.utf8.count == 64)
        let files = try FileManager.default.contentsOfDirectory(atPath: directory.secrets)
        #expect(files.count == 9)
        for file in files {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(directory.secrets)/\(file)")
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
    }

    private func claims(of output: String, secret: String) async throws -> TokenClaims {
        let keys = await JWTKeyCollection().add(
            hmac: HMACKey(key: SymmetricKey(data: Array(secret.utf8))),
            digestAlgorithm: .sha256
        )
        let token = output.trimmingCharacters(in: .whitespacesAndNewlines)
        return try await keys.verify(token, as: TokenClaims.self)
    }
}

/// The claims of a token, as another library reads them.
private struct TokenClaims: JWTPayload {
    let iss: IssuerClaim
    let aud: AudienceClaim
    let sub: SubjectClaim
    let role: String
    let iat: IssuedAtClaim
    let exp: ExpirationClaim

    func verify(using algorithm: some JWTAlgorithm) throws {
        try self.exp.verifyNotExpired()
    }
}
