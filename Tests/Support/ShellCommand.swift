import Foundation

/// A program that is run to its end.
struct ShellCommand {
    let executable: String
    let arguments: [String]

    init(_ executable: String, _ arguments: [String]) {
        self.executable = executable
        self.arguments = arguments
    }

    /// The same command as the system user `postgres` when this is root, whom PostgreSQL refuses.
    func asServerUser() -> ShellCommand {
        guard getuid() == 0 else { return self }
        return ShellCommand("runuser", ["-u", "postgres", "--", self.executable] + self.arguments)
    }

    /// Runs the command and returns what it printed.
    ///
    /// What it leaves running must not hold on to its output: that goes to a file, not to a pipe.
    @discardableResult
    func run() async throws -> String {
        let output = FileManager.default.temporaryDirectory.appending(path: "command-\(UUID().uuidString)")
        guard FileManager.default.createFile(atPath: output.path(percentEncoded: false), contents: nil) else {
            throw TestSupportError("cannot write to \(output.path(percentEncoded: false))")
        }
        defer { unlink(output.path(percentEncoded: false)) }
        let status = try await self.status(output: try FileHandle(forWritingTo: output))
        let text = String(decoding: try Data(contentsOf: output), as: UTF8.self)
        guard status == 0 else { throw TestSupportError("\(self.executable) failed (\(status)): \(text)") }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func status(output: FileHandle) async throws -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [self.executable] + self.arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        return try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do {
                try process.run()
            } catch {
                process.terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
    }
}
