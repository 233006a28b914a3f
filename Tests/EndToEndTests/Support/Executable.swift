import Foundation
import TestSupport

/// The built `credit-wallet`, run as users run it, with only the given environment.
enum Executable {
    /// The path of the built executable, in the directory of the running test program.
    static var path: String {
        get throws {
            let beside = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
            let package = URL(filePath: #filePath).appending(path: "../../../../.build/debug").standardizedFileURL
            for folder in [beside, package] {
                let path = folder.appending(path: "credit-wallet").path(percentEncoded: false)
                if FileManager.default.isExecutableFile(atPath: path) { return path }
            }
            throw HarnessError("credit-wallet is not built beside these tests; `swift build` makes it")
        }
    }

    /// Starts a command that runs until it is stopped; its output goes to a file.
    static func start(
        _ arguments: [String],
        environment: [String: String] = [:],
        log: String
    ) throws -> RunningProgram {
        try RunningProgram([Self.path] + arguments, environment: environment, output: log)
    }

    /// Runs a command until it exits.
    static func run(_ arguments: [String], environment: [String: String] = [:]) async throws -> (
        status: Int32, output: String
    ) {
        let log = "/tmp/wallet-e2e-\(UUID().uuidString.lowercased()).log"
        defer { unlink(log) }
        let program = try Self.start(arguments, environment: environment, log: log)
        let status = try await program.exitStatus()
        return (status, program.output)
    }
}

/// The reason why a test cannot be set up, with the next step.
struct HarnessError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
