import Foundation
import ServiceLifecycle
import Synchronization

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

    var isRunning: Bool {
        self.state.withLock { state in
            if case .running = state { true } else { false }
        }
    }

    /// A Boolean value that indicates whether this process has requested the server's stop.
    var wasClosed: Bool { self.input.withLock { $0 == nil } }

    /// Requests the stop of the server: connections end and all data is written (a fast shutdown).
    func close() {
        let input = self.input.withLock { input in
            defer { input = nil }
            return input
        }
        try? input?.close()
    }

    /// Waits until the server has exited.
    func waitForExit() async {
        await withCheckedContinuation { continuation in
            let hasExited = self.state.withLock { state in
                guard case .running(let waiting) = state else { return true }
                state = .running(waiting + [continuation])
                return false
            }
            if hasExited { continuation.resume() }
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

    private func markExited() {
        let waiting = self.state.withLock { state in
            defer { state = .exited }
            guard case .running(let waiting) = state else { return [CheckedContinuation<Void, Never>]() }
            return waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
