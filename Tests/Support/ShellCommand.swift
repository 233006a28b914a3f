import Foundation

/// A program that runs until it exits, with the environment of the tests.
package struct ShellCommand {
    let command: [String]

    /// Creates a command.
    ///
    /// - Parameters:
    ///   - executable: The program, by path or by its name in PATH.
    ///   - arguments: Its arguments.
    package init(_ executable: String, _ arguments: [String]) {
        self.command = [executable] + arguments
    }

    /// Returns the same command as the system user `postgres` if this process is root, because PostgreSQL refuses root.
    func asServerUser() -> ShellCommand {
        guard getuid() == 0 else { return self }
        return ShellCommand("runuser", ["-u", "postgres", "--"] + self.command)
    }

    /// Runs the command.
    ///
    /// - Returns: The output without surrounding white space.
    /// - Throws: ``TestSupportError`` if it fails or does not exit within ten minutes.
    @discardableResult
    package func run() async throws -> String {
        let output = FileManager.default.temporaryDirectory.appending(path: "command-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: output) }
        let program = try RunningProgram(
            self.command,
            environment: ProcessInfo.processInfo.environment,
            output: output.path(percentEncoded: false)
        )
        // A test that is cancelled still stops its server.
        let status = try await Task { try await program.exitStatus(within: .seconds(600)) }.value
        guard status == 0 else { throw TestSupportError("\(self.command) failed (\(status)): \(program.output)") }
        return program.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
