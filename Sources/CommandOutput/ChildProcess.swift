package import Foundation
import Synchronization

/// A program that this process started, and that it waits for directly.
///
/// Foundation's `Process` detects an exit through a socket, which other programs can inherit: those that the program left
/// in the background, and those that another thread started at the same moment. It then reports the exit only when they
/// have exited too.
package final class ChildProcess: Sendable {
    /// The exit status, or the continuations that wait for it.
    private enum State: Sendable {
        case running([CheckedContinuation<Int32, Never>])
        case exited(Int32)
    }

    /// The process ID.
    package let id: pid_t
    private let state = StateBox()

    private final class StateBox: Sendable {
        let value = Mutex(State.running([]))
    }

    /// Starts a program in its own process group, with no blocked or ignored signals.
    ///
    /// - Parameters:
    ///   - command: The program, by its path or by its name in PATH, and its arguments.
    ///   - environment: All its variables.
    ///   - directory: Its working directory; the default is accessible for every user.
    ///   - input: An open file for its standard input; nil for none.
    ///   - output: The file to which its output is appended.
    ///   - errors: The file to which its standard error is appended; nil for the same file.
    /// - Throws: ``CommandError`` if a file cannot be opened or the program cannot be started.
    package init(
        _ command: [String],
        environment: [String: String],
        in directory: String = "/",
        input: CInt? = nil,
        output: String,
        errors: String? = nil
    ) throws(CommandError) {
        var opened: [CInt] = []
        defer { for file in opened { close(file) } }
        func open(_ path: String, _ flags: CInt) throws(CommandError) -> CInt {
            let file = Foundation.open(path, flags | O_CLOEXEC, 0o600)
            guard file >= 0 else {
                throw CommandError(.system, "Cannot open \(path): \(String(cString: strerror(errno))).")
            }
            opened.append(file)
            return file
        }
        let source = if let input { input } else { try open("/dev/null", O_RDONLY) }
        let target = try open(output, O_WRONLY | O_CREAT | O_APPEND)
        let errorTarget = if let errors { try open(errors, O_WRONLY | O_CREAT | O_APPEND) } else { target }
        self.id = try Self.spawn(
            ["/usr/bin/env", "-C", directory] + command,
            environment.map { "\($0)=\($1)" },
            [source, target, errorTarget]
        )
        Thread.detachNewThread { [id, state] in Self.awaitExit(of: id, state.value) }
    }

    /// Starts a program with three open files and no others: it would hold sockets open that this process closes.
    private static func spawn(
        _ words: [String],
        _ variables: [String],
        _ files: [CInt]
    ) throws(CommandError) -> pid_t {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
            let closing = POSIX_SPAWN_CLOEXEC_DEFAULT
        #else
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
            let closing: CInt = 0
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, file) in files.enumerated() { posix_spawn_file_actions_adddup2(&actions, file, CInt(number)) }
        #if canImport(Glibc)
            // The function of glibc 2.34 and newer is not in the Swift module.
            typealias Function = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, CInt) -> CInt
            if let symbol = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np") {
                _ = unsafeBitCast(symbol, to: Function.self)(&actions, CInt(files.count))
            }
        #endif
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The threads of the Swift runtime block most signals; a shell would not notice that its child has exited.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP | closing
        posix_spawnattr_setflags(&attributes, Int16(flags))
        var arguments = words.map { strdup($0) } + [nil]
        var environment = variables.map { strdup($0) } + [nil]
        defer { for word in arguments + environment { free(word) } }
        var process: pid_t = 0
        let failure = posix_spawn(&process, words[0], &actions, &attributes, &arguments, &environment)
        guard failure == 0 else {
            throw CommandError(.unavailable, "Cannot start \(words[3]): \(String(cString: strerror(failure))).")
        }
        return process
    }

    /// Blocks the thread until the process exits.
    private static func awaitExit(of process: pid_t, _ state: borrowing Mutex<State>) {
        var information = siginfo_t()
        while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        state.withLock { state in
            var status: Int32 = 0
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
            let signal = status & 0x7f
            let code = signal == 0 ? (status >> 8) & 0xff : signal
            if case .running(let waiting) = state {
                for continuation in waiting { continuation.resume(returning: code) }
            }
            state = .exited(code)
        }
    }

    /// The exit status, or the number of the signal that ended the program; nil while it runs.
    package var status: Int32? {
        self.state.value.withLock { state in
            if case .exited(let status) = state { status } else { nil }
        }
    }

    /// Waits until the program has exited.
    ///
    /// - Returns: The exit status, or the number of the signal that ended the program.
    package func exit() async -> Int32 {
        await withCheckedContinuation { continuation in
            let status: Int32? = self.state.value.withLock { state in
                switch state {
                case .exited(let status):
                    return status
                case .running(let waiting):
                    state = .running(waiting + [continuation])
                    return nil
                }
            }
            if let status { continuation.resume(returning: status) }
        }
    }

    /// Sends a signal, unless the program has exited.
    ///
    /// - Parameter signal: The signal.
    package func send(_ signal: CInt) {
        // The status is stored in the same step that frees the process ID, so that no other process is hit.
        self.state.value.withLock { state in
            if case .running = state { kill(self.id, signal) }
        }
    }
}

extension ChildProcess {
    /// The exit status and the output of a program that ran to its end.
    package struct Result: Sendable {
        package let status: Int32
        package let output: String
    }

    /// Runs a tool without blocking a thread of the Swift runtime.
    ///
    /// - Parameters:
    ///   - command: The tool, by its path or by its name in PATH, and its arguments.
    ///   - directory: The working directory.
    /// - Returns: The exit status and the output, including standard error.
    /// - Throws: ``CommandError`` if the tool cannot be started, or an error of reading its output.
    package static func run(_ command: [String], in directory: String = "/") async throws -> Result {
        let output = FileManager.default.temporaryDirectory.appending(path: "credit-wallet-\(UUID().uuidString)")
        let path = output.path(percentEncoded: false)
        defer { unlink(path) }
        let process = try ChildProcess(command, environment: Self.environment, in: directory, output: path)
        let status = await process.exit()
        return Result(status: status, output: try String(contentsOf: output, encoding: .utf8))
    }

    /// The environment without the variables that configure PostgreSQL's tools.
    package static var environment: [String: String] {
        var environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("PG") }
        environment["LC_ALL"] = "C"
        return environment
    }
}
