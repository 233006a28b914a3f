import Foundation
import TestSupport
import Testing

/// The built `credit-wallet`, run as users run it.
enum Executable {
    struct Result {
        let status: Int32
        let output: String
        let errors: String
    }

    /// The path of the built executable, in the directory of the running test bundle.
    static var path: String {
        get throws {
            let folder = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
            let path = folder.appending(path: "credit-wallet").path(percentEncoded: false)
            guard FileManager.default.isExecutableFile(atPath: path) else { throw CocoaError(.fileNoSuchFile) }
            return path
        }
    }

    /// Runs one command until it exits.
    static func run(
        _ arguments: [String],
        environment: [String: String] = [:],
        in directory: String = "/tmp",
        onTerminal: Bool = false
    ) async throws -> Result {
        let running = try RunningExecutable(arguments, environment: environment, in: directory, onTerminal: onTerminal)
        let status = try await running.exitStatus()
        return Result(status: status, output: running.output, errors: running.errors)
    }
}

/// A `credit-wallet` process that runs until a test stops it.
final class RunningExecutable: Sendable {
    private let home: TemporaryDirectory
    private let program: RunningProgram

    /// Starts the process with PATH, HOME and the given environment only.
    ///
    /// `limits` are the open-file limits in the notation of `prlimit`, such as `200:4096`. A process on a terminal
    /// writes its errors to the output as well.
    init(
        _ arguments: [String],
        environment: [String: String] = [:],
        in directory: String = "/tmp",
        within limits: String? = nil,
        onTerminal: Bool = false
    ) throws {
        self.home = try TemporaryDirectory()
        var command = [try Executable.path] + arguments
        if let limits { command = ["/usr/bin/prlimit", "--nofile=\(limits)"] + command }
        if onTerminal { command = ["/usr/bin/script", "-qec", command.joined(separator: " "), "/dev/null"] }
        self.program = try RunningProgram(
            command,
            environment: environment,
            in: directory,
            output: "\(self.home.path)/output",
            errors: "\(self.home.path)/errors"
        )
    }

    var isRunning: Bool { self.program.isRunning }
    var processID: Int32 { self.program.processID }
    var output: String { self.program.output }
    var errors: String { (try? String(contentsOfFile: "\(self.home.path)/errors", encoding: .utf8)) ?? "" }

    /// Waits until the condition is true; throws an error if the program ends first.
    func wait(until what: String, _ condition: () async throws -> Bool) async throws {
        try await eventually("\(what), or the program ends") {
            let holds = try await condition()
            return holds || !self.isRunning
        }
        try #require(self.isRunning, "it ended: \(self.output) \(self.errors)")
    }

    func send(_ signal: CInt) {
        self.program.send(signal)
    }

    func exitStatus() async throws -> Int32 {
        try await self.program.exitStatus(within: .seconds(600))
    }

    func stop() async throws -> Int32 {
        try await self.program.stop()
    }
}
