import Foundation
import TestSupport
import Testing

@testable import WalletDev

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
        let status = await running.exitStatus()
        return Result(status: status, output: running.output, errors: running.errors)
    }
}

/// A `credit-wallet` process that runs until a test stops it.
final class RunningExecutable: Sendable {
    private let home: TemporaryDirectory
    private let process: Process
    private let exits: AsyncStream<Int32>

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
        for name in ["output", "errors"] { try self.home.write("", to: name) }
        self.process = Process()
        var command = [try Executable.path] + arguments
        if let limits { command = ["/usr/bin/prlimit", "--nofile=\(limits)"] + command }
        if onTerminal { command = ["/usr/bin/script", "-qec", command.joined(separator: " "), "/dev/null"] }
        self.process.executableURL = URL(filePath: command[0])
        self.process.arguments = Array(command.dropFirst())
        self.process.currentDirectoryURL = URL(filePath: directory, directoryHint: .isDirectory)
        let inherited = ProcessInfo.processInfo.environment.filter { ["PATH", "HOME"].contains($0.key) }
        self.process.environment = inherited.merging(environment) { $1 }
        self.process.standardInput = FileHandle.nullDevice
        self.process.standardOutput = FileHandle(forWritingAtPath: "\(self.home.path)/output")
        self.process.standardError = FileHandle(forWritingAtPath: "\(self.home.path)/errors")
        let (exits, continuation) = AsyncStream.makeStream(of: Int32.self)
        self.exits = exits
        self.process.terminationHandler = { process in
            continuation.yield(process.terminationStatus)
            continuation.finish()
        }
        try self.process.runWithOpenSignals()
    }

    deinit {
        if self.process.isRunning { kill(self.process.processIdentifier, SIGKILL) }
    }

    var isRunning: Bool { self.process.isRunning }
    var processID: Int32 { self.process.processIdentifier }
    var output: String { (try? String(contentsOfFile: "\(self.home.path)/output", encoding: .utf8)) ?? "" }
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
        kill(self.process.processIdentifier, signal)
    }

    /// Waits for the process to exit; call it only once.
    func exitStatus() async -> Int32 {
        for await status in self.exits { return status }
        return self.process.terminationStatus
    }

    /// Asks the process to stop and waits for it to exit.
    func stop() async -> Int32 {
        self.send(SIGTERM)
        return await self.exitStatus()
    }
}
