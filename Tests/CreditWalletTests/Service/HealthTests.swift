import Foundation
import HTTPTypes
import Hummingbird
import TestSupport
import Testing

@testable import CreditWallet
@testable import WalletDev

@Suite struct HealthTests {
    @Test(.emptyDatabase) func `health and ready follow the service from start to end`() async throws {
        let database = try TestDatabase.current
        let migrated = try await Executable.run(["migrate"], environment: ["DATABASE_URL": database.url])
        try #require(migrated.status == 0, "\(migrated.errors)")
        var environment = ServeConfiguration.environment(databaseURL: try database.serviceURL)
        environment["HTTP_PORT"] = "\(try FreePort.find())"
        environment["HTTP_HOST"] = "0.0.0.0"

        let before = try await Executable.run(["health"], environment: environment)
        #expect(before.status == 69)
        #expect(before.errors.contains("did not respond"))

        let serve = try RunningExecutable(["serve"], environment: environment)
        var health = before
        try await serve.wait(until: "serve answers") {
            health = try await Executable.run(["health", "--timeout", "60"], environment: environment)
            return health.status == 0
        }
        let ready = try await Executable.run(["health", "--ready", "--timeout", "60"], environment: environment)
        let stopped = try await serve.stop()

        #expect(health.status == 0)
        #expect(health.output == "ok\n")
        #expect(ready.status == 0, "\(ready.errors)")
        #expect(stopped == 0)
    }

    @Test func `a status other than 200 is a failure that names the status`() async throws {
        let router = Router()
        router.get("ready") { _, _ in HTTPResponse.Status.serviceUnavailable }
        try await LocalServer.run(router) { port in
            let result = try await Executable.run(
                ["health", "--ready", "--timeout", "60"],
                environment: ["HTTP_PORT": "\(port)"]
            )
            #expect(result.status == 1)
            #expect(result.errors.contains("/ready responded with status 503"))
        }
    }

    @Test(arguments: [
        ("0.0.0.0", "127.0.0.1"), ("::", "[::1]"), ("::1", "[::1]"), ("10.0.0.7", "10.0.0.7"), ("wallet", "wallet"),
    ])
    func `the listening address is turned into an address to request`(listening: String, asked: String) {
        #expect(HealthCommand.reachable(listening) == asked)
    }
}
