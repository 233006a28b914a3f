import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Postgres
import TestSupport
import Testing

@testable import CreditWallet
@testable import WalletDev

/// A running `serve` on the test's own database, with three users, some classes, and files that list them.
struct LoadedService {
    let url: String
    /// The environment of the process.
    let environment: [String: String]
    private var program: RunningExecutable
    private let files: LoadFiles
    private static let signer = TokenSigner(
        issuer: "https://issuer.example",
        audience: "authenticated",
        secret: Array(ServeConfiguration.secret.utf8)
    )

    var tokens: String { self.files.tokens }
    var classes: String { self.files.classes }

    /// Starts the service.
    ///
    /// - Parameters:
    ///   - settings: Additional settings.
    ///   - classes: The number of classes.
    /// - Throws: An error if the service does not become ready.
    init(_ settings: [String: String] = [:], classes: Int = 200) async throws {
        let database = try TestDatabase.current
        try await Self.execute(
            """
            UPDATE wallet.instance SET kind = 'production';
            SELECT wallet.adjust(wallet.account_for('user-' || n), 'production', 'credit', 2000, 'r' || n, 'a', 'test')
            FROM generate_series(1, 3) AS n;
            SELECT wallet.add_class('c' || n, 'Load', now() + INTERVAL '9 days', now() + INTERVAL '10 days', 9, 1, 1, 0)
            FROM generate_series(1, \(classes)) AS n;
            """
        )
        let port = try FreePort.find()
        var environment = ServeConfiguration.environment(databaseURL: try database.serviceURL)
        environment["HTTP_PORT"] = "\(port)"
        environment["LOG_LEVEL"] = "warning"
        environment.merge(settings) { $1 }
        self.url = "http://127.0.0.1:\(port)"
        self.environment = environment
        self.program = try RunningExecutable(["serve"], environment: environment)
        self.files = try LoadFiles(
            tokens: [try Self.signer.token(for: "user-1", role: "authenticated", lifetime: 600)],
            classes: (1...classes).map { "c\($0)" }
        )
        try await self.awaitReadiness()
    }

    func token(for user: String) async throws -> String {
        try Self.signer.token(for: user, role: "authenticated", lifetime: 600)
    }

    /// Sets the tokens that `load` sends from now on.
    func write(_ tokens: [String]) throws {
        try self.files.write(tokens)
    }

    func execute(_ script: String) async throws {
        try await Self.execute(script)
    }

    /// Kills the service and restarts it on the same port.
    mutating func crash() async throws {
        self.program.send(SIGKILL)
        _ = try await self.program.exitStatus()
        self.program = try RunningExecutable(["serve"], environment: self.environment)
        try await self.awaitReadiness()
    }

    private func awaitReadiness() async throws {
        try await self.program.wait(until: "serve is ready") {
            let ready = HTTPClientRequest(url: "\(self.url)/ready")
            let answer = try? await HTTPClient.shared.execute(ready, timeout: .seconds(2))
            return answer?.status == .ok
        }
    }

    func stop() async throws -> Int32 {
        try await self.program.stop()
    }

    private static func execute(_ script: String) async throws {
        let connection = try await TestDatabase.current.connect()
        defer { connection.close() }
        try await connection.execute(script: script)
    }
}
