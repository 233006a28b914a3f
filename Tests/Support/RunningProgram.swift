import CommandOutput
package import Foundation

/// A program that runs beside the tests until it exits or a test stops it.
package final class RunningProgram: Sendable {
    private let process: ChildProcess
    private let outputPath: String

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - command: The program, by its path or by its name in PATH, and its arguments.
    ///   - environment: Its variables besides PATH and HOME.
    ///   - directory: Its working directory; the default has no .env file.
    ///   - output: The file that its output replaces.
    ///   - errors: The file that its standard error replaces; nil for the same file.
    /// - Throws: An error of a file, or `CommandError` if the program cannot be started.
    package init(
        _ command: [String],
        environment: [String: String],
        in directory: String = "/",
        output: String,
        errors: String? = nil
    ) throws {
        for file in [output, errors].compactMap(\.self) { try Data().write(to: URL(filePath: file)) }
        let inherited = ProcessInfo.processInfo.environment.filter { ["PATH", "HOME"].contains($0.key) }
        self.outputPath = output
        self.process = try ChildProcess(
            command,
            environment: inherited.merging(environment) { $1 },
            in: directory,
            output: output,
            errors: errors
        )
    }

    deinit {
        self.send(SIGKILL)
    }

    /// The process ID.
    package var processID: pid_t { self.process.id }

    /// A Boolean value that indicates whether the program has not exited yet.
    package var isRunning: Bool { self.process.status == nil }

    /// The output so far.
    package var output: String {
        String(decoding: FileManager.default.contents(atPath: self.outputPath) ?? Data(), as: UTF8.self)
    }

    /// Sends a signal, unless the program has exited.
    ///
    /// - Parameter signal: The signal.
    package func send(_ signal: CInt) {
        self.process.send(signal)
    }

    /// Waits for the exit; after the limit it kills the program and throws an error.
    ///
    /// - Parameter limit: The longest wait.
    /// - Returns: The exit status, or the number of the signal that ended the program.
    /// - Throws: ``TestSupportError`` after the limit, with what the program printed.
    package func exitStatus(within limit: Duration = .seconds(120)) async throws -> Int32 {
        let deadline = ContinuousClock.now + limit
        while ContinuousClock.now < deadline {
            if let status = self.process.status { return status }
            try await Task.sleep(for: .milliseconds(10))
        }
        self.send(SIGKILL)
        throw TestSupportError("the program did not end within \(limit); it printed: \(self.output.suffix(4_000))")
    }

    /// Sends SIGTERM and waits for the exit.
    ///
    /// - Returns: The exit status.
    /// - Throws: ``TestSupportError`` if it does not exit within a minute.
    package func stop() async throws -> Int32 {
        self.send(SIGTERM)
        return try await self.exitStatus(within: .seconds(60))
    }
}
