import Foundation
import Logging
import Postgres
import TestSupport

/// A running `credit-wallet dev` with its sandbox store and its database.
struct LiveWallet: Sendable {
    let directory: String
    let program: RunningProgram
    let description: DevDescription
    let users: TokenMint

    /// The instance that ``Testing/Trait/liveWallet`` started for the running suite.
    static var current: LiveWallet {
        get throws {
            guard let wallet = Self.scoped else {
                throw HarnessError("no wallet here: mark the suite with .liveWallet")
            }
            return wallet
        }
    }

    @TaskLocal static var scoped: LiveWallet?

    var http: WebClient { WebClient(baseURL: self.description.httpURL) }
    var store: SandboxStore {
        SandboxStore(web: WebClient(baseURL: self.description.storeURL), databaseURL: self.description.databaseURL)
    }
    var log: String { "\(self.directory).log" }

    /// Starts an instance and waits until it reports that all its parts respond.
    static func start(
        in directory: String = Self.newDirectory(),
        options: [String] = [],
        environment: [String: String] = [:]
    ) async throws -> LiveWallet {
        // Removes the description that a killed run may have left, so that it is not mistaken for the new one.
        unlink(DevDescription.path(in: directory))
        let program = try Executable.start(
            ["dev", "--data", directory, "--http-port", "0", "--store-port", "0"] + Self.everywhere + options,
            environment: environment,
            log: "\(directory).log"
        )
        let deadline = ContinuousClock.now + .seconds(180)
        while ContinuousClock.now < deadline, program.isRunning {
            if let description = try DevDescription.read(in: directory) {
                let secret = try String(contentsOfFile: "\(directory)/secrets/user-token", encoding: .utf8)
                return LiveWallet(
                    directory: directory,
                    program: program,
                    description: description,
                    users: try TokenMint(secret: secret, like: description.demoToken)
                )
            }
            try await Task.sleep(for: .milliseconds(50))
        }
        program.send(SIGKILL)
        throw HarnessError("credit-wallet dev did not get ready; it printed: \(program.output.suffix(4_000))")
    }

    /// Options of every instance.
    ///
    /// With `WALLET_E2E_POOLED=1`, the whole suite runs through pgbouncer.
    private static let everywhere = ProcessInfo.processInfo.environment["WALLET_E2E_POOLED"] == "1" ? ["--pooled"] : []

    static func newDirectory() -> String {
        let name = "wallet-e2e-\(UUID().uuidString.lowercased().prefix(8))"
        return FileManager.default.temporaryDirectory.appending(path: name).path(percentEncoded: false)
    }

    /// Stops the instance and removes its directory.
    func remove() async throws {
        let status = try await self.program.stop()
        try FileManager.default.removeItem(atPath: self.directory)
        unlink(self.log)
        guard status == 0 else { throw HarnessError("credit-wallet dev ended with status \(status)") }
    }

    /// Opens a session as the superuser.
    func connect() async throws -> Connection {
        try await Connection.connect(ConnectionConfiguration(patient: self.description.databaseURL), logger: .quiet)
    }

    /// Runs one statement as the superuser.
    @discardableResult
    func query(_ query: Query) async throws -> [Row] {
        let connection = try await self.connect()
        defer { connection.close() }
        return try await connection.query(query)
    }
}
