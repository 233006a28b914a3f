import Foundation

/// A program that runs until it exits.
///
/// Foundation's `Process` reports the exit of a program only when everything that the program started has exited too. A
/// server in the background never does, so this type spawns the program and waits for it directly.
package struct ShellCommand {
    let executable: String
    let arguments: [String]

    package init(_ executable: String, _ arguments: [String]) {
        self.executable = executable
        self.arguments = arguments
    }

    /// Returns the same command as the system user `postgres` if this process is root, because PostgreSQL refuses root.
    func asServerUser() -> ShellCommand {
        guard getuid() == 0 else { return self }
        return ShellCommand("runuser", ["-u", "postgres", "--", self.executable] + self.arguments)
    }

    /// Runs the command and returns its output.
    @discardableResult
    package func run() async throws -> String {
        let output = FileManager.default.temporaryDirectory.appending(path: "command-\(UUID().uuidString)")
        let path = output.path(percentEncoded: false)
        let process = try self.spawn(output: path)
        let status = await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: Self.wait(for: process)) }
        }
        let text = try String(contentsOf: output, encoding: .utf8)
        try FileManager.default.removeItem(at: output)
        guard status == 0 else { throw TestSupportError("\(self.executable) failed (\(status)): \(text)") }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func spawn(output: String) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        var words = ([self.executable] + self.arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var process: pid_t = 0
        let failure = posix_spawnp(&process, self.executable, &actions, nil, &words, environ)
        guard failure == 0 else {
            throw TestSupportError("\(self.executable) could not be started: \(String(cString: strerror(failure)))")
        }
        return process
    }

    private static func wait(for process: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return status
    }
}
