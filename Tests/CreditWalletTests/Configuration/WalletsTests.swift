import AsyncHTTPClient
import CommandOutput
import Configuration
import Foundation
import Logging
import Postgres
import Testing
import WalletAPI
import WalletConsole

@testable import CreditWallet

/// Tests of several wallets in one process: their names and their settings.
@Suite struct WalletsTests {
    private static let eu = WalletAddress(name: "eu", url: "postgresql://wallet@eu.example/wallet")

    private static let environment = ServeConfiguration.environment().merging([
        "DATABASE_URL": "",
        "WALLETS": "eu:\(eu.url),us:postgres://us.example/wallet",
        "AUTH_ISSUERS": "main,usmain",
        "AUTH_MAIN_WALLET": "eu",
        "AUTH_USMAIN_ISSUER": "https://us.issuer.example",
        "AUTH_USMAIN_AUDIENCES": "authenticated",
        "AUTH_USMAIN_HS256_SECRET": "another-secret-of-at-least-32-bytes-for-us",
        "AUTH_USMAIN_WALLET": "us", "US_APPSTORE_BUNDLE_IDS": "com.example.us",
    ]) { $1 }

    private func settings(_ changes: [String: String] = [:]) -> Settings {
        let environment = Self.environment.merging(changes) { $1 }
        return Settings(reader: ConfigReader(provider: EnvironmentVariablesProvider(environmentVariables: environment)))
    }

    @Test(
        arguments: [
            ("eu:postgresql://h/d", ["eu": "postgresql://h/d"]),
            ("eu:postgresql://h/d, us2:postgres://i/d\n", ["eu": "postgresql://h/d", "us2": "postgres://i/d"]),
            // Several hosts, options with commas, and a user whose name could be a wallet's.
            (
                "eu:postgresql://a:1,b:2/d?target_session_attrs=read-write,us:postgresql://c,d,e/d",
                ["eu": "postgresql://a:1,b:2/d?target_session_attrs=read-write", "us": "postgresql://c,d,e/d"]
            ),
            (
                "eu:postgresql://u:postgres@a,u:postgres@b/d,us:postgresql://c/d",
                ["eu": "postgresql://u:postgres@a,u:postgres@b/d", "us": "postgresql://c/d"]
            ),
        ] as [(String, [String: String])]
    )
    func `a list of wallets is parsed`(text: String, expected: [String: String]) throws {
        let wallets = try self.settings(["WALLETS": text]).wallets()

        #expect(Dictionary(uniqueKeysWithValues: wallets.map { ($0.name, $0.url) }) == expected)
    }

    @Test(arguments: [
        "postgresql://h/d", "EU:postgresql://h/d", ":postgresql://h/d", "eu-1:postgresql://h/d", "1:postgresql://h/d",
        "eu:mysql://h/d", "eu:postgresql://h/d,eu:postgresql://i/d", "eu:postgresql://h/d,us:postgresql://h/d",
        "abcdefghijklmnopqrstu:postgresql://h/d", "eu:host=h", "auth:postgresql://h/d", ",eu:postgresql://h/d",
    ])
    func `a malformed list is refused, and not shown`(text: String) {
        let error = #expect(throws: CommandError.self) { try self.settings(["WALLETS": text]).wallets() }

        #expect(error?.code == .configuration)
        #expect(error?.message.contains("WALLETS") == true)
        #expect(error?.message.contains("//h") == false)
    }

    @Test(arguments: ["DATABASE_URL", "DATABASE_READ_URL"])
    func `a single database URL next to several wallets is refused`(key: String) {
        let error = #expect(throws: CommandError.self) { try self.settings([key: "postgresql://h/d"]).wallets() }

        #expect(error?.message == "\(key) and WALLETS exclude each other.")
    }

    @Test func `without WALLETS there is one unnamed wallet`() throws {
        #expect(try self.settings(["WALLETS": "", "DATABASE_URL": "postgresql://h/d"]).wallets().isEmpty)
    }

    @Test func `a key prefixed with the wallet's name overrides the shared key`() throws {
        let settings = self.settings([
            "EVENTS_RETENTION_DAYS": "40", "EU_EVENTS_RETENTION_DAYS": "50", "US_CORS_ORIGINS": "", "CORS_ORIGINS": "*",
            "EU_DATABASE_READ_URL": "postgresql://standby/d", "EU_HTTP_PORT": "1",
        ])
        let us = try #require(try settings.wallets().last)

        #expect(try settings.string(.eventsKeptDays) == "40")
        #expect(try settings.of(Self.eu).string(.eventsKeptDays) == "50")
        #expect(try settings.of(us).string(.eventsKeptDays) == "40")
        #expect(try settings.of(us).string(.corsOrigins) == nil)
        #expect(try settings.of(Self.eu).string(.corsOrigins) == "*")
        // Each wallet has its own database; the HTTP port belongs to the process.
        #expect(try settings.of(Self.eu).string(.databaseURL) == Self.eu.url)
        #expect(
            try PoolConfiguration.standbys(reader: settings.of(Self.eu))?.connection.url == "postgresql://standby/d"
        )
        #expect(try PoolConfiguration.standbys(reader: settings.of(us)) == nil)
        #expect(try settings.of(Self.eu).string(.httpPort) == "0")
        #expect(try PoolConfiguration(reader: settings.of(Self.eu)).labels == ["wallet": "eu"])
    }

    @Test func `each wallet has the issuers assigned to it`() throws {
        let settings = self.settings()
        let us = try #require(try settings.wallets().last)

        #expect(try IssuerConfiguration.all(reader: settings.of(Self.eu)).map(\.issuer) == ["https://issuer.example"])
        #expect(try IssuerConfiguration.all(reader: settings.of(us)).map(\.issuer) == ["https://us.issuer.example"])
    }

    @Test(
        arguments: [
            (["AUTH_MAIN_WALLET": ""], "AUTH_MAIN_WALLET must be one of eu, us."),
            (["AUTH_MAIN_WALLET": "asia"], "AUTH_MAIN_WALLET must be one of eu, us."),
            (["AUTH_USMAIN_WALLET": "eu"], "The wallet us has no issuer. Set AUTH_…_WALLET=us for an issuer."),
            (
                ["AUTH_USMAIN_ISSUER": "https://issuer.example"],
                "AUTH_MAIN_ISSUER and AUTH_USMAIN_ISSUER are equal, but belong to two wallets."
            ),
            (
                ["WALLETS": "", "DATABASE_URL": "postgresql://h/d"],
                "AUTH_MAIN_WALLET requires WALLETS, which is not set."
            ),
        ] as [([String: String], String)]
    )
    func `an issuer must belong to exactly one wallet`(changes: [String: String], message: String) throws {
        let settings = self.settings(changes)
        let error = #expect(throws: CommandError.self) {
            for wallet in try settings.wallets() { _ = try IssuerConfiguration.all(reader: settings.of(wallet)) }
            _ = try IssuerConfiguration.all(reader: settings)
        }

        #expect(error?.message == message)
    }

    @Test func `wallet keys are known, and process keys cannot be set for one wallet`() {
        let unknown = UnknownSettings(
            among: ["EU_EVENTS_URL", "EU_EVENTS_URLS", "EU_HTTP_PORT", "EU_FLAG", "US_EVENTS_URL"],
            issuers: [],
            wallets: [Self.eu]
        )

        #expect(unknown.findings.map(\.name) == ["EU_EVENTS_URLS", "EU_HTTP_PORT", "US_EVENTS_URL"])
        #expect(unknown.findings.map(\.meant) == ["EU_EVENTS_URL", "HTTP_PORT", "EU_EVENTS_URL"])
    }

    @Test func `a setting that a wallet lacks is reported with the wallet's name`() throws {
        let error = #expect(throws: CommandError.self) {
            try self.settings(["APPSTORE_BUNDLE_IDS": "", "US_APPSTORE_BUNDLE_IDS": "app"]).requireAll()
        }

        #expect(error?.message.hasPrefix("eu: APPSTORE_BUNDLE_IDS is missing.") == true)
        #expect(error?.message.contains("us:") == false)
    }

    @Test func `a console of each wallet needs a port of its own`() throws {
        let console = ConsoleConfigurationTests.settings
        let error = #expect(throws: CommandError.self) {
            try ListenAddress(consoleOf: self.settings(console).of(Self.eu))
        }

        #expect(error?.message.contains("EU_CONSOLE_PORT is missing.") == true)
        let settings = self.settings(console.merging(["EU_CONSOLE_PORT": "8091"]) { $1 })
        #expect(try ListenAddress(consoleOf: settings.of(Self.eu))?.port == 8_091)
    }

    @Test func `a console shows the wallet that it belongs to`() throws {
        let settings = self.settings(ConsoleConfigurationTests.settings)
        let console = try OperatorSignIn(reader: settings.of(Self.eu))?
            .console(httpClient: .shared, logger: Logger(label: "console"))

        #expect(console?.wallet == "eu")
        #expect(try #require(try OperatorSignIn(reader: settings)).wallet == nil)
    }

    /// Returns settings with every store for both wallets, events, and the keys that keep the wallets apart.
    private func stores(_ changes: [String: String]) throws -> Settings {
        let common = try StoreSettings().environment.filter { Self.environment[$0.key] == nil }.merging([
            "REVENUECAT_SIGNING_SECRET": "a signing secret", "EVENTS_URL": "https://studio.example/events",
            "EVENTS_SECRET": StoreSettings.eventsSecret,
        ]) { $1 }
        return self.settings(common.merging(changes) { $1 })
    }

    private static let apart = [
        "US_APPSTORE_BUNDLE_IDS": "com.example.us,com.example.us2", "US_GOOGLEPLAY_PACKAGE_NAME": "com.example.us",
        "US_REVENUECAT_API_KEY": "sk_us", "US_REVENUECAT_AUTHORIZATION": "Bearer us",
        "US_REVENUECAT_SIGNING_SECRET": "another signing secret", "US_EVENTS_URL": "https://studio.example/us",
    ]

    @Test(arguments: apart.keys.sorted())
    func `settings that would grant or deliver twice are refused`(key: String) throws {
        let common = String(key.dropFirst("US_".count))
        let settings = try self.stores(Self.apart)
        #expect(try ServiceCells(settings.wallets(), settings).cells.map { $0.name } == ["eu", "us"])

        let found = try #require(ConfigurationKey.all.first { $0.name == common })
        let eu = try #require(settings.raw(found))
        let isList = key != "US_GOOGLEPLAY_PACKAGE_NAME" && key != "US_REVENUECAT_API_KEY" && key != "US_EVENTS_URL"
        for value in isList ? [eu, "another,\(eu)"] : [eu] {
            let settings = try self.stores(Self.apart.merging([key: value]) { $1 })
            let error = #expect(throws: CommandError.self) { try ServiceCells(settings.wallets(), settings) }

            #expect(error?.code == .configuration)
            #expect(error?.message.hasPrefix("\(common) must not have the same value for eu and us: ") == true)
            #expect(error?.message.contains(eu) == false)
        }
    }

    @Test func `a store may be shared with a wallet that does not enable it`() throws {
        let settings = try self.stores([
            "STORES": "app_store", "US_STORES": "revenuecat", "US_APPSTORE_BUNDLE_IDS": "com.example.app",
            "US_EVENTS_URL": "https://studio.example/us",
        ])

        #expect(try ServiceCells(settings.wallets(), settings).cells.count == 2)
    }

    @Test(
        arguments: [
            (["CONSOLE_PORT": "8091"], "CONSOLE_PORT of eu and CONSOLE_PORT of us"),
            (
                ["CONSOLE_PORT": "8091", "US_CONSOLE_HOST": "0.0.0.0"],
                "CONSOLE_PORT of eu and CONSOLE_PORT of us"
            ),
            (
                ["EU_CONSOLE_PORT": "8091", "US_CONSOLE_PORT": "8080", "HTTP_PORT": "8080"],
                "HTTP_PORT and CONSOLE_PORT of us"
            ),
            (
                ["EU_CONSOLE_PORT": "9090", "US_CONSOLE_PORT": "8091", "METRICS_PORT": "9090"],
                "METRICS_PORT and CONSOLE_PORT of eu"
            ),
            (["CONSOLE_PORT": "8091", "US_CONSOLE_HOST": "10.0.0.1"], nil),
            (["EU_CONSOLE_PORT": "8091", "US_CONSOLE_PORT": "8092"], nil),
            (["CONSOLE_PORT": "0"], nil),
        ] as [([String: String], String?)]
    )
    func `a port used twice is refused before anything listens`(changes: [String: String], keys: String?) throws {
        let settings = self.settings(ConsoleConfigurationTests.settings.merging(changes) { $1 })
        guard let keys else {
            #expect(try ServiceCells(settings.wallets(), settings).cells.count == 2)
            return
        }
        let error = #expect(throws: CommandError.self) { try ServiceCells(settings.wallets(), settings) }

        #expect(error?.code == .configuration)
        #expect(error?.message == "\(keys) use the same port of one host; choose different ports.")
    }

    @Test func `connections to standbys and of operators are counted`() throws {
        let settings = self.settings([
            "EU_DATABASE_READ_URL": "postgresql://standby/d", "EU_DATABASE_MAXIMUM_CONNECTIONS": "7",
            "DATABASE_MAXIMUM_CONNECTIONS": "5",
        ])

        #expect(try ServiceCells(settings.wallets(), settings).databaseConnections == 7 + 7 + 2 + 5 + 2)
        let one = ServeConfiguration.environment().merging(["DATABASE_READ_URL": "postgresql://standby/d"]) { $1 }
        let reader = ConfigReader(provider: EnvironmentVariablesProvider(environmentVariables: one))
        #expect(try ServiceConfiguration(reader: Settings(reader: reader)).databaseConnections == 10 + 10 + 2)
    }

    @Test(arguments: [
        ["import", "--csv", "none.csv", "--source", "x", "--cut-over", "2024-07-01T00:00:00Z"],
        ["token", "--user", "ann"],
    ])
    func `a command for one wallet needs the wallet's name`(arguments: [String]) async throws {
        for more in [[], ["--wallet", "asia"]] {
            let result = try await Executable.run(arguments + more, environment: Self.environment)

            #expect(result.status == 78)
            #expect(result.errors.contains("--wallet must be one of eu, us."), "\(result.errors)")
        }
    }
}
