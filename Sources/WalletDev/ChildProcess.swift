import CommandOutput
import Foundation
import ServiceLifecycle
import Synchronization

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

/// A small shell process that runs the server and stops it when this process closes the shell's standard input.
///
/// The system closes that pipe when this process ends, so even SIGKILL leaves no server running. The shell has its own
/// process group and ignores the terminal's signals. On Ctrl-C, the service therefore finishes its requests before the
/// server stops.
final class ServerSupervisor: Sendable {
    private enum State {
        case running([CheckedContinuation<Void, Never>])
        case exited
    }

    private static let script = """
        trap '' INT TERM HUP
        exec 3<&0
        "$@" </dev/null 3<&- &
        server=$!
        (read -r _ <&3; kill -INT "$server") &
        reader=$!
        wait "$server"
        code=$?
        kill -KILL "$reader" 2>/dev/null
        exit "$code"
        """

    private let input: Mutex<FileHandle?>
    private let state = Mutex(State.running([]))

    private init(input: FileHandle) {
        self.input = Mutex(input)
    }

    /// Starts a server under a supervisor; its output is appended to the log.
    static func start(_ server: [String], log: String) throws -> ServerSupervisor {
        guard let output = FileHandle(forWritingAtPath: log) else {
            throw CommandError(.system, "Cannot write \(log).")
        }
        try output.seekToEnd()
        let pipe = Pipe()
        let process = ChildProcess.make(["sh", "-c", Self.script, "keeper"] + server)
        process.standardInput = pipe.fileHandleForReading
        process.standardOutput = output
        process.standardError = output
        let keeper = ServerSupervisor(input: pipe.fileHandleForWriting)
        process.terminationHandler = { _ in keeper.markExited() }
        try process.runWithOpenSignals()
        return keeper
    }

    private func markExited() {
        let waiting = self.state.withLock { state in
            defer { state = .exited }
            guard case .running(let waiting) = state else { return [CheckedContinuation<Void, Never>]() }
            return waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    var isRunning: Bool {
        self.state.withLock { state in
            if case .running = state { true } else { false }
        }
    }

    /// Runs until shutdown, and then requests the stop of the server.
    ///
    /// - Throws: ``CommandError`` with the names of the server and its log, if the server stops unexpectedly.
    func keep(_ server: String, log: String) async throws {
        await withTaskCancellationOrGracefulShutdownHandler {
            await self.waitForExit()
        } onCancelOrGracefulShutdown: {
            self.close()
        }
        guard self.wasClosed else { throw CommandError(.unavailable, "\(server) stopped; see \(log).") }
    }

    /// Stops the server and waits until it has exited.
    func stop() async {
        self.close()
        await self.waitForExit()
    }

    /// Waits until the server has exited.
    private func waitForExit() async {
        await withCheckedContinuation { continuation in
            let hasExited = self.state.withLock { state in
                guard case .running(let waiting) = state else { return true }
                state = .running(waiting + [continuation])
                return false
            }
            if hasExited { continuation.resume() }
        }
    }

    /// Requests the stop of the server: connections end and all data is written (a fast shutdown).
    private func close() {
        let input = self.input.withLock { input in
            defer { input = nil }
            return input
        }
        try? input?.close()
    }

    /// A Boolean value that indicates whether this process has requested the server's stop.
    private var wasClosed: Bool { self.input.withLock { $0 == nil } }
}

extension Process {
    /// Starts the process without blocked signals.
    ///
    /// A process inherits the signal mask of the thread that starts it, and the threads of the Swift runtime block most
    /// signals. A shell would then not receive the signal that its child has ended.
    func runWithOpenSignals() throws {
        var none = sigset_t()
        var before = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try self.run()
    }
}
