import CommandOutput
import Foundation
import ServiceLifecycle
import Synchronization

/// A small shell process that runs the server and stops it when this process closes the shell's standard input.
///
/// The system closes it when this process ends, so even SIGKILL leaves no server running. The shell has its own
/// process group and ignores the terminal's signals. On Ctrl-C, the service therefore finishes its requests before the
/// server stops.
final class ServerSupervisor: Sendable {
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

    private let process: ChildProcess
    /// The end of a socket whose closing stops the server; nil once it is closed.
    private let input: Mutex<CInt?>

    private init(process: ChildProcess, input: CInt) {
        self.process = process
        self.input = Mutex(input)
    }

    deinit {
        self.close()
    }

    /// Starts a server under a supervisor; its output is appended to the log.
    static func start(_ server: [String], log: String) throws(CommandError) -> ServerSupervisor {
        let (own, other) = try Self.connectedSockets()
        defer { Foundation.close(other) }
        do {
            let process = try ChildProcess(
                ["sh", "-c", Self.script, "keeper"] + server,
                environment: ChildProcess.environment,
                input: other,
                output: log
            )
            return ServerSupervisor(process: process, input: own)
        } catch {
            Foundation.close(own)
            throw error
        }
    }

    /// Opens two connected sockets that no other program inherits.
    private static func connectedSockets() throws(CommandError) -> (CInt, CInt) {
        #if canImport(Glibc)
            let type = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        #else
            let type = SOCK_STREAM
        #endif
        var ends: [CInt] = [-1, -1]
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else {
            throw CommandError(.system, "Cannot open a socket: \(String(cString: strerror(errno)))")
        }
        return (ends[0], ends[1])
    }

    var isRunning: Bool { self.process.status == nil }

    /// Runs until shutdown, and then requests the stop of the server.
    ///
    /// - Throws: ``CommandError`` with the names of the server and its log, if the server stops unexpectedly.
    func keep(_ server: String, log: String) async throws {
        await withTaskCancellationOrGracefulShutdownHandler {
            _ = await self.process.exit()
        } onCancelOrGracefulShutdown: {
            self.close()
        }
        guard self.wasClosed else { throw CommandError(.unavailable, "\(server) stopped; see \(log).") }
    }

    /// Stops the server and waits until it has exited.
    func stop() async {
        self.close()
        _ = await self.process.exit()
    }

    /// Requests the stop of the server: connections end and all data is written (a fast shutdown).
    private func close() {
        self.input.withLock { input in
            if let open = input { Foundation.close(open) }
            input = nil
        }
    }

    /// A Boolean value that indicates whether this process has requested the server's stop.
    private var wasClosed: Bool { self.input.withLock { $0 == nil } }
}
