import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Postgres
import TestSupport
import Testing

@testable import CreditWallet
@testable import WalletDev

@Suite struct ServeTests {
    @Test(.emptyDatabase) func `a database that is not migrated is refused and left unchanged`() async throws {
        let database = try TestDatabase.current
        let result = try await Executable.run(
            ["serve"],
            environment: ServeConfiguration.environment(databaseURL: database.url)
        )

        #expect(result.status == 69)
        #expect(result.errors.contains("The database is not migrated; run credit-wallet migrate."))
        // The log writes JSON lines for log collectors.
        let line = try JSONSerialization.jsonObject(with: Data(result.errors.utf8)) as? [String: Any]
        #expect(line?["level"] as? String == "critical")
        #expect(line?["exit_code"] as? Int == 69)
        let connection = try await database.connect()
        defer { connection.close() }
        #expect(try await connection.query("SELECT FROM pg_namespace WHERE nspname = 'wallet'").isEmpty)
    }

    @Test(.emptyDatabase) func `a login that the database refuses ends serve at once, with the cause`() async throws {
        let url = try TestDatabase.current.url.replacing(/\/\/([^@\/]*@)?/, with: "//nobody-here@", maxReplacements: 1)
        let began = ContinuousClock.now
        let result = try await Executable.run(
            ["serve"],
            environment: ServeConfiguration.environment(databaseURL: url)
                // A service that retried would run for half of this time at least.
                .merging(["DATABASE_ACQUIRE_TIMEOUT": "600"]) { $1 }
        )

        #expect(result.status == 69, "\(url) \(result.errors)")
        #expect(result.errors.contains("nobody-here"))
        #expect(ContinuousClock.now - began < .seconds(240))
    }

    @Test(.database) func `a dev database is refused`() async throws {
        let result = try await Executable.run(
            ["serve"],
            environment: ServeConfiguration.environment(databaseURL: try TestDatabase.current.serviceURL)
        )

        #expect(result.status == 78)
        #expect(result.errors.contains("marked dev"))
    }

    @Test(.emptyDatabase) func `a newer database is refused when its migration breaks older releases`() async throws {
        let database = try await self.migrated()
        let connection = try await database.connect()
        defer { connection.close() }
        try await connection.execute(
            script: """
                INSERT INTO wallet.migrations (id, name, sha256, breaking)
                SELECT max(id) + 1, '9999_future', repeat('0', 64), TRUE FROM wallet.migrations
                """
        )

        let result = try await Executable.run(
            ["serve"],
            environment: ServeConfiguration.environment(databaseURL: try database.serviceURL)
        )

        #expect(result.status == 1)
        #expect(result.errors.contains("incompatible with"))
    }

    @Test(.emptyDatabase) func `a production database is served until SIGTERM`() async throws {
        let database = try await self.migrated()
        let port = try FreePort.find()
        var environment = ServeConfiguration.environment(databaseURL: try database.serviceURL)
        environment["HTTP_PORT"] = "\(port)"
        let check = try await Executable.run(["serve", "--check"], environment: environment)
        #expect(check.status == 0, "\(check.errors)")
        #expect(check.output.hasSuffix("The configuration is valid, and the database is ready.\n"))
        environment["HTTP_PROT"] = "80"
        let serve = try RunningExecutable(["serve"], environment: environment)

        #expect(try await self.answers("http://127.0.0.1:\(port)/ready", while: serve) == 200)
        let status = try await serve.stop()

        #expect(status == 0)
        #expect(serve.errors.isEmpty)
        let lines = try serve.output.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        let unknown = lines.first { $0["did_you_mean"] as? String == "HTTP_PORT" }
        #expect(unknown?["name"] as? String == "HTTP_PROT")
        let start = try #require(lines.first { $0["msg"] as? String == "credit-wallet is starting" })
        #expect(start["version"] as? String == VersionCommand.current)
        #expect(start["stores"] as? [String] == ["app_store"])
        #expect(start["issuers"] as? [String] == ["https://issuer.example"])
        let settings = try #require(start["settings"] as? [String: String])
        #expect(settings["HTTP_PORT"] == "\(port)")
        #expect(settings["APPSTORE_SHARED_SECRET"] == nil)
        #expect(settings["DRAIN_DELAY"] == nil)
        #expect(!serve.output.contains("app-store-secret"))
        #expect(lines.contains { $0["msg"] as? String == "request" && $0["status"] as? Int == 200 })
        #expect(lines.last?["msg"] as? String == "credit-wallet stopped")
    }

    @Test(.emptyDatabase) func `a wallet starts without any store and with the minimal configuration`() async throws {
        let database = try await self.migrated()
        let port = try FreePort.find()
        let serve = try RunningExecutable(
            ["serve", "--http-port", "\(port)"],
            environment: [
                "DATABASE_URL": try database.serviceURL, "STORES": "none", "AUTH_ISSUERS": "main",
                "AUTH_MAIN_ISSUER": "https://issuer.example", "AUTH_MAIN_AUDIENCES": "authenticated",
                "AUTH_MAIN_HS256_SECRET": ServeConfiguration.secret,
            ]
        )
        #expect(try await self.answers("http://127.0.0.1:\(port)/ready", while: serve) == 200)
        #expect(try await serve.stop() == 0)
        #expect(serve.output.contains("\"stores\":[]"), "\(serve.output)")
    }

    @Test(.emptyDatabase) func `waiting spans are sent before serve ends, and the collector's key is not logged`()
        async throws
    {
        let database = try await self.migrated()
        try await Collector.run { collector in
            let port = try FreePort.find()
            let environment = ServeConfiguration.environment(databaseURL: try database.serviceURL).merging([
                "HTTP_PORT": "\(port)", "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url,
                "OTEL_EXPORTER_OTLP_HEADERS": "api-key=collector-key", "OTEL_BSP_SCHEDULE_DELAY": "600000",
                "OTEL_SERVICE_NAME": "studio-wallet",
            ]) { $1 }
            let serve = try RunningExecutable(["serve"], environment: environment)

            #expect(try await self.answers("http://127.0.0.1:\(port)/packs", while: serve) == 200)
            #expect(collector.exports.isEmpty)
            #expect(try await serve.stop() == 0)

            let export = try #require(collector.exports.first)
            #expect(export.spans.contains { $0.name == "GET /packs" && $0.parentID == nil })
            #expect(export.spans.contains { $0.attributes["db.system.name"] == "postgresql" && $0.parentID != nil })
            #expect(export.header("api-key") == "collector-key")
            #expect(export.resource["service.name"] == "studio-wallet")
            #expect(!serve.output.contains("collector-key"))
        }
    }

    /// Returns the test's empty database after the executable has migrated it.
    private func migrated() async throws -> TestDatabase {
        let database = try TestDatabase.current
        let result = try await Executable.run(["migrate"], environment: ["DATABASE_URL": database.url])
        try #require(result.status == 0, "\(result.errors)")
        return database
    }

    /// Returns the first HTTP status; retries while the connection is refused.
    private func answers(_ url: String, while server: RunningExecutable) async throws -> UInt {
        var status: UInt = 0
        try await server.wait(until: "serve answers") {
            let response = try? await HTTPClient.shared.execute(HTTPClientRequest(url: url), timeout: .seconds(2))
            status = response?.status.code ?? 0
            return status != 0
        }
        return status
    }
}
