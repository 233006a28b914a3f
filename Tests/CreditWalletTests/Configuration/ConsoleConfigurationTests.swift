import CommandOutput
import Foundation
import JSON
import Testing
import Wallet
import WalletAPI

@testable import CreditWallet
@testable import WalletConsole

/// Tests of the operators' sign-in to the console and of the rights that they get there.
@Suite struct ConsoleConfigurationTests {
    /// The minimal settings of a console.
    static let settings = [
        "CONSOLE_ISSUER": "https://login.example/realms/studio", "CONSOLE_URL": "https://wallet.example/",
        "CONSOLE_CLIENT_ID": "console", "CONSOLE_SECRET": "a-secret-of-the-console-with-32-bytes",
        "CONSOLE_RIGHTS": "studio-desk=support,studio-owners=admin",
    ]

    private let all: StoreSettings

    init() throws {
        self.all = try StoreSettings()
    }

    private func read(_ more: [String: String]) async throws -> ServiceConfiguration {
        try ServiceConfiguration(reader: try await self.all.read(Self.settings.merging(more) { $1 }))
    }

    private func identity(_ claims: [String: JSONValue], isEmailVerified: Bool = false) -> OpenIDIdentity {
        OpenIDIdentity(
            issuer: "https://login.example/realms/studio",
            subject: "mia",
            name: nil,
            email: "mia@studio.example",
            isEmailVerified: isEmailVerified,
            authenticatedAt: Date(),
            claims: claims
        )
    }

    @Test func `without an issuer there is no console`() async throws {
        let configuration = try ServiceConfiguration(
            reader: try await self.all.read(from: ServeConfiguration.environment())
        )

        #expect(configuration.operatorSignIn == nil)
        #expect(configuration.http.operatorPages == nil)
    }

    @Test func `the console uses the API's port unless it has its own port`() async throws {
        let beside = try await self.read([:])
        let signIn = try #require(beside.operatorSignIn)

        #expect(signIn.openID.redirectURL == "https://wallet.example/console/signed-in")
        #expect(signIn.apiURL == "https://wallet.example")
        #expect(signIn.isSecure)
        #expect(signIn.limit == RateLimit(quota: 20, window: 60))
        #expect([signIn.idleLifetime, signIn.lifetime, signIn.moneyLifetime] == [1_800, 43_200, 900])
        #expect(beside.http.operatorPages == nil)

        let apart = try await self.read(["CONSOLE_PORT": "8081", "CONSOLE_HOST": "10.0.0.1"])
        #expect(apart.http.operatorPages == ListenAddress(host: "10.0.0.1", port: 8_081))
        let local = try await self.read([
            "CONSOLE_URL": "http://127.0.0.1:8080", "CONSOLE_API_URL": "https://api.example",
        ])
        #expect(local.operatorSignIn?.isSecure == false)
        #expect(local.operatorSignIn?.apiURL == "https://api.example")
    }

    @Test func `a claim grants a right, the highest right wins, other users are refused`() async throws {
        let signIn = try #require(try await self.read(["CONSOLE_PREFIX": "staff:"]).operatorSignIn)

        #expect(signIn.owner(self.identity(["groups": .array([.text("studio-desk")])]))?.right == .support)
        let both = signIn.owner(self.identity(["groups": .array([.text("studio-desk"), .text("studio-owners")])]))
        #expect(both == ConsoleOperator(id: "staff:mia", name: "mia@studio.example", right: .admin))
        for claims in [[:], ["groups": JSONValue.array([.text("everyone")])], ["roles": .text("studio-owners")]] {
            #expect(signIn.owner(self.identity(claims)) == nil)
        }
    }

    @Test func `an e-mail address grants a right only if the issuer verified it`() async throws {
        let signIn = try #require(
            try await self.read(["CONSOLE_RIGHTS_CLAIM": "email", "CONSOLE_RIGHTS": "mia@studio.example=admin"])
                .operatorSignIn
        )
        func owner(_ email: String, _ isVerified: Bool) -> ConsoleOperator? {
            let claims: [String: JSONValue] = ["email": .text(email), "email_verified": .bool(isVerified)]
            return signIn.owner(self.identity(claims, isEmailVerified: isVerified))
        }

        #expect(owner("mia@studio.example", true)?.right == .admin)
        #expect(owner("mia@studio.example", false) == nil)
        for other in [#""x mia@studio.example y"@evil.example"#, "evil@x.example mia@studio.example"] {
            #expect(owner(other, true) == nil, "\(other)")
        }
    }

    @Test(arguments: ["CONSOLE", "AUTH_MAIN"], ["mia", "mia@studio.example y", "\"mia\"@studio.example", "mia@"])
    func `a right for an invalid e-mail address is refused`(keys: String, value: String) async throws {
        let error = await #expect(throws: CommandError.self) {
            _ = try await self.read(["\(keys)_RIGHTS_CLAIM": "email", "\(keys)_RIGHTS": "\(value)=admin"])
        }
        #expect(error?.message.contains("\(keys)_RIGHTS") == true, "\(error?.message ?? "")")
    }

    @Test(arguments: [
        ("CONSOLE_URL", ""), ("CONSOLE_URL", "http://wallet.example"), ("CONSOLE_URL", "https://wallet.example/path"),
        ("CONSOLE_SECRET", "short"), ("CONSOLE_RIGHTS", ""), ("CONSOLE_RIGHTS", "studio-desk=boss"),
        ("CONSOLE_CLIENT_ID", ""), ("CONSOLE_PORT", "seventy"), ("CONSOLE_SESSION_IDLE_MINUTES", "0"),
        ("CONSOLE_PREFIX", "a b"), ("CONSOLE_SIGN_INS_PER_MINUTE", "0"),
    ])
    func `an invalid console setting is refused with the name of its key`(key: String, value: String) async throws {
        let error = await #expect(throws: CommandError.self) { _ = try await self.read([key: value]) }
        #expect(error?.message.contains(key) == true, "\(error?.message ?? "")")
    }

    @Test(arguments: ["http://login.example", "https://login.example/?a=b", "login.example"])
    func `an issuer that cannot be trusted is refused`(issuer: String) async throws {
        await #expect(throws: CommandError.self) { _ = try await self.read(["CONSOLE_ISSUER": issuer]) }
    }
}
