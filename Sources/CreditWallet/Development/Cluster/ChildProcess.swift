import Foundation

/// Runs tools to their end and collects what they print.
enum ChildProcess {
    struct Result: Sendable {
        let status: Int32
        let output: String
    }

    /// Runs one tool, found through PATH unless it is a path, without waiting on any of the runtime's threads.
    ///
    /// - Parameters:
    ///   - command: The tool and its arguments.
    ///   - directory: Where it runs; a place that every user may enter, unless said otherwise.
    /// - Returns: Its exit status and what it printed, standard error included.
    /// - Throws: ``CommandError`` if it cannot be started.
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

    /// Prepares a process with an environment that PostgreSQL's tools take nothing from.
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
                continuation.resume(throwing: CommandError(.unavailable, "\(name) cannot be started: \(error)"))
            }
        }
    }
}
