import Foundation

/// Runs tools to completion and collects their output.
enum ChildProcess {
    struct Result: Sendable {
        let status: Int32
        let output: String
    }

    /// Runs a tool without blocking a thread of the Swift runtime.
    ///
    /// A name without a path is searched in PATH.
    ///
    /// - Parameters:
    ///   - command: The tool and its arguments.
    ///   - directory: The working directory; the default is accessible for every user.
    /// - Returns: The exit status and the output, including standard error.
    /// - Throws: ``CommandError`` if the tool cannot be started.
    static func run(_ command: [String], in directory: String = "/") async throws -> Result {
        let output = FileManager.default.temporaryDirectory.appending(path: "credit-wallet-\(UUID().uuidString)")
        try Data().write(to: output)
        defer { unlink(output.path(percentEncoded: false)) }

        let process = Self.make(command, in: directory)
        let file = try FileHandle(forWritingTo: output)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = file
        process.standardError = file
        let status = try await Self.exit(of: process, named: command[0])
        return Result(status: status, output: try String(contentsOf: output, encoding: .utf8))
    }

    /// Creates a process without the environment variables that configure PostgreSQL's tools.
    static func make(_ command: [String], in directory: String = "/") -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        process.currentDirectoryURL = URL(filePath: directory, directoryHint: .isDirectory)
        var environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("PG") }
        environment["LC_ALL"] = "C"
        process.environment = environment
        return process
    }

    private static func exit(of process: Process, named name: String) async throws -> Int32 {
        try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do {
                try process.runWithOpenSignals()
            } catch {
                process.terminationHandler = nil
                continuation.resume(throwing: CommandError(.unavailable, "Cannot start \(name): \(error)"))
            }
        }
    }
}
