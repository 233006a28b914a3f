import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Postgres
import TestSupport
import Testing

@testable import CreditWallet

@Suite struct ServeTests {
    @Test(.emptyDatabase) func `a database that is not migrated is refused and left as it is`() async throws {
        let database = try TestDatabase.current
        let result = try await Executable.run(
            ["serve"],
            environment: ServeConfiguration.environment(databaseURL: database.url)
        )

        #expect(result.status == 1)
        #expect(result.errors.contains("credit-wallet migrate"))
        let connection = try await database.connect()
        defer { connection.close() }
        #expect(try await connection.query("SELECT FROM pg_namespace WHERE nspname = 'wallet'").isEmpty)
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
        #expect(result.errors.contains("cannot work with"))
    }

    @Test(.emptyDatabase) func `a production database is served until SIGTERM`() async throws {
        let database = try await self.migrated()
        let port = try FreePort.find()
        var environment = ServeConfiguration.environment(databaseURL: try database.serviceURL)
        environment["HTTP_PORT"] = "\(port)"
        let serve = try RunningExecutable(["serve"], environment: environment)

        #expect(try await self.answers("http://127.0.0.1:\(port)/ready", while: serve) == 200)
        let status = await serve.stop()

        #expect(status == 0)
        #expect(serve.errors.isEmpty)
        for line in serve.output.split(separator: "\n") {
            #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(line.utf8)) }
        }
    }

    /// The suite's empty database, brought to this release by the executable.
    private func migrated() async throws -> TestDatabase {
        let database = try TestDatabase.current
        let result = try await Executable.run(["migrate"], environment: ["DATABASE_URL": database.url])
        try #require(result.status == 0, "\(result.errors)")
        return database
    }

    /// The first status that is not a refused connection.
    private func answers(_ url: String, while server: RunningExecutable) async throws -> UInt {
        for _ in 0..<200 where server.isRunning {
            let response = try? await HTTPClient.shared.execute(HTTPClientRequest(url: url), timeout: .seconds(2))
            if let response { return response.status.code }
            try await Task.sleep(for: .milliseconds(50))
        }
        return 0
    }
}
