import CommandOutput
import Foundation
import Postgres
import Testing
import WalletAPI

@testable import CreditWallet

@Suite struct ConfigurationTests {
    @Test(arguments: [
        "DATABASE_URL", "AUTH_ISSUERS", "AUTH_MAIN_ISSUER", "AUTH_MAIN_AUDIENCES", "AUTH_MAIN_HS256_SECRET",
        "APPSTORE_BUNDLE_IDS", "APPSTORE_SHARED_SECRET", "APPSTORE_GRANTS_FROM",
    ])
    func `serve exits naming the key that is missing`(key: String) async throws {
        var environment = ServeConfiguration.environment()
        environment[key] = nil

        let result = try await Executable.run(["serve"], environment: environment)

        #expect(result.status == 78)
        #expect(result.errors.contains("\(key)"))
        #expect(result.errors.contains("is missing"))
        #expect(result.output.isEmpty)
    }

    @Test func `all missing keys are reported at once`() async throws {
        let result = try await Executable.run(
            ["serve"],
            environment: ["AUTH_ISSUERS": "main", "AUTH_MAIN_AUDIENCES": "a", "STORES": "app_store,play_store"]
        )

        #expect(result.status == 78)
        for key in [
            "DATABASE_URL", "AUTH_MAIN_ISSUER", "AUTH_MAIN_HS256_SECRET or AUTH_MAIN_JWKS_URL", "APPSTORE_BUNDLE_IDS",
            "APPSTORE_SHARED_SECRET", "APPSTORE_GRANTS_FROM", "GOOGLEPLAY_PACKAGE_NAME", "GOOGLEPLAY_GRANTS_FROM",
        ] {
            #expect(result.errors.contains("\(key) is missing."), "\(key)")
        }
        #expect(!result.errors.contains("AUTH_MAIN_AUDIENCES"))
    }

    @Test func `all invalid values are reported at once, one log line each`() async throws {
        let wrong = [
            "HTTP_PORT": "eighty", "SHUTDOWN_TIMEOUT": "0", "DATABASE_ACQUIRE_TIMEOUT": "soon", "BOOKING_WORKERS": "0",
            "SWEEP_INTERVAL": "-1", "APPSTORE_GRANTS_FROM": "yesterday", "AUTH_MAIN_PURPOSE": "everything",
            "LOG_LEVEL": "loud",
        ]
        let environment = ServeConfiguration.environment().merging(wrong) { $1 }
        let result = try await Executable.run(["serve"], environment: environment)

        #expect(result.status == 78)
        let lines = result.errors.split(separator: "\n")
        #expect(lines.count == wrong.count)
        for key in wrong.keys {
            #expect(lines.contains { $0.contains("\(key) must be") && $0.hasPrefix("{") }, "\(key): \(result.errors)")
        }
    }

    @Test func `on a terminal, invalid values are reported as text`() async throws {
        let environment = ServeConfiguration.environment().merging(["HTTP_PORT": "eighty", "LOG_LEVEL": "loud"]) { $1 }
        let result = try await Executable.run(["serve"], environment: environment, onTerminal: true)

        #expect(result.status == 78)
        let lines = result.output.split(whereSeparator: \.isNewline)
        #expect(lines.count == 2)
        #expect(lines.first?.hasPrefix("credit-wallet: HTTP_PORT must be") == true, "\(result.output)")
        #expect(lines.last?.hasPrefix("LOG_LEVEL must be") == true, "\(result.output)")
    }

    @Test(arguments: ["", ",", " "]) func `a list of stores without a store is refused`(stores: String) async throws {
        let environment = ServeConfiguration.environment().merging(["STORES": stores]) { $1 }
        let result = try await Executable.run(["serve"], environment: environment)

        #expect(result.status == 78)
        #expect(result.errors.contains("STORES is empty."), "\(result.errors)")
    }

    @Test func `a misspelled key is reported, names of other programs are not`() {
        let unknown = UnknownSettings(
            among: [
                "HTTP_PROT", "DATABASE_URLS", "AUTH_MAIN_ISSUERS", "HTTP_PORT", "HTTP_PROXY", "PATH", "DATABASE_USER",
                "AUTH_MAIN_ISSUER",
            ],
            issuers: ["MAIN"]
        )

        #expect(unknown.findings.map(\.name) == ["AUTH_MAIN_ISSUERS", "DATABASE_URLS", "HTTP_PROT"])
        #expect(unknown.findings.map(\.meant) == ["AUTH_MAIN_ISSUER", "DATABASE_URL", "HTTP_PORT"])
    }

    @Test(arguments: [
        ("HTTP_PORT", "eighty"), ("HTTP_PORT", "65536"), ("DATABASE_PREPARED_STATEMENTS", "perhaps"),
        ("APPSTORE_GRANTS_FROM", "yesterday"), ("LOG_LEVEL", "loud"), ("AUTH_MAIN_PURPOSE", "everything"),
        ("AUTH_MAIN_RIGHTS", "desk=boss"), ("AUTH_MAIN_RIGHTS", "desk"), ("AUTH_MAIN_RIGHTS", "=support"),
        ("RECEIPTS_PER_USER_PER_MINUTE", "0"), ("DATABASE_MINIMUM_CONNECTIONS", "900"), ("SWEEP_INTERVAL", "-1"),
        ("OPERATOR_MAXIMUM_AMOUNT", "-1"), ("CORS_ORIGINS", "*,https://app.example"),
        ("CORS_ORIGINS", "https://app.example/"), ("DRAIN_DELAY", "30"),
        ("TRUSTED_PROXIES", "proxy.example"), ("HTTP_HEAD_TIMEOUT", "0"), ("REQUESTS_PER_USER_PER_MINUTE", "-1"),
        ("METRICS_PORT", "nine"), ("METRICS_PORT", "70000"),
    ])
    func `an invalid value is refused with the name of its key`(key: String, value: String) async throws {
        let environment = ServeConfiguration.environment().merging([key: value]) { $1 }

        let result = try await Executable.run(["serve"], environment: environment)

        #expect(result.status == 78)
        #expect(result.errors.contains(key))
    }

    @Test func `a secret that cannot be used is not shown`() async throws {
        let environment = ServeConfiguration.environment().merging(["AUTH_MAIN_HS256_SECRET": "too-short-secret"]) {
            $1
        }

        let result = try await Executable.run(["serve"], environment: environment)

        #expect(result.status == 78)
        #expect(result.errors.contains("32 bytes"))
        #expect(!(result.errors + result.output).contains("too-short-secret"))
    }

    private static let sharedKeys: [([String: String], [String])] = [
        (
            ["AUTH_SECOND_HS256_SECRET": ServeConfiguration.secret, "AUTH_SECOND_PURPOSE": "operators"],
            ["AUTH_MAIN_HS256_SECRET", "AUTH_SECOND_HS256_SECRET"]
        ),
        (
            ["AUTH_SECOND_HS256_SECRET": ServeConfiguration.secret, "AUTH_SECOND_PREFIX": "s:"],
            ["AUTH_MAIN_HS256_SECRET", "AUTH_SECOND_HS256_SECRET"]
        ),
        (
            [
                "AUTH_MAIN_JWKS_URL": "https://keys.example/jwks.json", "AUTH_SECOND_PURPOSE": "operators",
                "AUTH_SECOND_JWKS_URL": "https://KEYS.example:443/jwks.json",
            ],
            ["AUTH_MAIN_JWKS_URL", "AUTH_SECOND_JWKS_URL"]
        ),
    ]

    @Test(arguments: Self.sharedKeys.indices)
    func `two issuers with the same key are refused by their keys, and the key is not shown`(index: Int) async throws {
        let (changes, named) = Self.sharedKeys[index]
        let environment = ServeConfiguration.environment().merging(changes) { $1 }
            .merging([
                "AUTH_ISSUERS": "main,second", "AUTH_SECOND_ISSUER": "https://second.example",
                "AUTH_SECOND_AUDIENCES": "authenticated",
            ]) { $1 }

        let result = try await Executable.run(["serve"], environment: environment)

        #expect(result.status == 78, "\(result.errors)")
        for key in named { #expect(result.errors.contains(key), "\(result.errors)") }
        #expect(!(result.errors + result.output).contains(ServeConfiguration.secret))
    }

    @Test(arguments: [
        "https://dev.credit-wallet.invalid/users", "https://CREDIT-WALLET.invalid", "dev.credit-wallet.invalid",
        "https://dev.credit-wallet.invalid./users", "https://dev.credit-wallet.invalid:443/users",
    ])
    func `serve rejects tokens of development issuers`(issuer: String) async throws {
        let environment = ServeConfiguration.environment().merging(["AUTH_MAIN_ISSUER": issuer]) { $1 }

        let result = try await Executable.run(["serve"], environment: environment)

        #expect(result.status == 78, "\(result.errors)")
        #expect(result.errors.contains("AUTH_MAIN_ISSUER"), "\(result.errors)")
    }

    @Test func `store hosts other than Apple's need the explicit flag`() async throws {
        let environment = ServeConfiguration.environment()
            .merging(["APPSTORE_RECEIPT_SANDBOX_URL": "http://127.0.0.1:9/verifyReceipt"]) { $1 }

        let refused = try await Executable.run(["serve"], environment: environment)
        let accepted = try await Executable.run(["serve", "--appstore-allow-other-hosts"], environment: environment)

        #expect(refused.status == 78)
        #expect(refused.errors.contains("APPSTORE_ALLOW_OTHER_HOSTS"))
        // The configuration is valid, so serve continues and finds no database.
        #expect(accepted.status == 69)
    }

    @Test func `an unreachable database ends serve with a message that hides the URL`() async throws {
        let url = "postgresql://someone:pass-word-1@127.0.0.1:1/none"
        let result = try await Executable.run(
            ["serve"],
            environment: ServeConfiguration.environment(databaseURL: url)
        )

        #expect(result.status == 69)
        #expect(result.errors.contains("database"))
        #expect(!(result.errors + result.output).contains("pass-word-1"))
    }

    @Test func `an operator's reconciliation uses the configured maximum of grants`() async throws {
        let environment = ServeConfiguration.environment().merging(["RECONCILE_MAXIMUM_GRANTS": "3"]) { $1 }
        let settings = try await Settings.load(environment: environment, environmentFile: "/nonexistent/.env")

        #expect(try ServiceConfiguration(reader: settings).http.reconcileMaximumGrants == 3)
    }

    @Test func `with abandoned connections, each pool has at most twice its maximum`() async throws {
        let more = ["DATABASE_MAXIMUM_CONNECTIONS": "7", "DATABASE_OPERATOR_CONNECTIONS": "3"]
        let environment = ServeConfiguration.environment().merging(more) { $1 }
        let settings = try await Settings.load(environment: environment, environmentFile: "/nonexistent/.env")
        let configuration = try ServiceConfiguration(reader: settings)
        #expect(configuration.database.maximumConnections == 7 && configuration.database.spareConnections == 7)
        let operators = configuration.operatorDatabase
        #expect(operators.maximumConnections == 3 && operators.spareConnections == 3)
    }

    @Test func `balance streams have configurable limits`() async throws {
        func configuration(_ more: [String: String]) async throws -> ServiceConfiguration {
            let environment = ServeConfiguration.environment().merging(more) { $1 }
            return try ServiceConfiguration(
                reader: try await Settings.load(environment: environment, environmentFile: "/nonexistent/.env")
            )
        }
        let usual = try await configuration([:])
        #expect(usual.http.streams.total == 10_000)
        #expect(usual.http.streams.perUser == 10)
        #expect(usual.http.streams.heartbeat == .seconds(15))
        let other = try await configuration(["MAXIMUM_STREAMS": "5"])
        #expect(other.http.streams.total == 5)
    }

    @Test func `metrics are served only on a configured port, on loopback by default`() async throws {
        func metrics(_ more: [String: String]) async throws -> MetricsConfiguration? {
            let environment = ServeConfiguration.environment().merging(more) { $1 }
            let settings = try await Settings.load(environment: environment, environmentFile: "/nonexistent/.env")
            return try ServiceConfiguration(reader: settings).metrics
        }
        #expect(try await metrics([:]) == nil)
        #expect(try await metrics(["METRICS_HOST": "0.0.0.0"]) == nil)
        let usual = try #require(try await metrics(["METRICS_PORT": "9464"]))
        #expect(usual.host == "127.0.0.1")
        #expect(usual.port == 9464)
        #expect(usual.metricsInterval == .seconds(60))
        #expect(usual.invariantsInterval == .seconds(3_600))
        let other = try #require(
            try await metrics([
                "METRICS_PORT": "1", "METRICS_HOST": "::", "METRICS_INTERVAL": "5", "INVARIANTS_INTERVAL": "0",
            ])
        )
        #expect(other.host == "::")
        #expect(other.metricsInterval == .seconds(5))
        #expect(other.invariantsInterval == nil)
        await #expect(throws: CommandError.self) {
            try await metrics(["METRICS_PORT": "1", "METRICS_INTERVAL": "-1"])
        }
    }

    @Test func `options override the environment, then .env, then the secrets directory`() async throws {
        let home = try TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: "\(home.path)/secrets", withIntermediateDirectories: false)
        try home.write("from-directory\n", to: "secrets/http_host")
        try home.write("from-directory\n", to: "secrets/log_level")
        try home.write("6\n", to: "secrets/receipts_per_user_per_minute")
        try home.write("hidden\n", to: "secrets/appstore_shared_secret")
        try home.write(
            "HTTP_HOST=from-file\nLOG_LEVEL=from-file\nHTTP_PORT=82\nDATABASE_MAXIMUM_WAITERS=6\n",
            to: ".env"
        )

        let settings = try await Settings.load(
            options: [.httpHost: "from-options", .secretsDirectory: "\(home.path)/secrets", .httpPort: nil],
            defaults: [.shutdownTimeout: "7"],
            environment: ["HTTP_HOST": "from-environment", "DATABASE_MAXIMUM_WAITERS": "5"],
            environmentFile: "\(home.path)/.env"
        )

        #expect(try settings.string(.httpHost) == "from-options")
        #expect(try settings.string(.logLevel) == "from-file")
        #expect(try settings.integer(.databaseMaximumWaiters, in: 1...10) == 5)
        #expect(try settings.integer(.httpPort, in: 0...100) == 82)
        #expect(try settings.integer(.receiptsPerMinute, in: 1...10) == 6)
        #expect(try settings.string(.appStoreSharedSecret) == "hidden")
        #expect(try settings.integer(.shutdownTimeout, in: 1...10) == 7)
        #expect(try settings.string(.appStoreProductionURL) == "https://buy.itunes.apple.com/verifyReceipt")
    }

    @Test func `the help text lists every key`() async throws {
        let help = try await Executable.run(["serve", "--help"])

        #expect(help.status == 0)
        for key in ConfigurationKey.all + ConfigurationKey.allOfIssuer("NAME") {
            #expect(help.output.contains(key.name))
        }
        let lines = help.output.split(separator: "\n")
        let table = try #require(lines.split { $0.hasPrefix("USAGE") }.first?.drop { $0 != "THE SERVICE" })
        #expect(table.count > 200)
        #expect(table.allSatisfy { $0.count < 80 && ($0.hasPrefix("  ") || $0.uppercased() == $0) })
    }
}
