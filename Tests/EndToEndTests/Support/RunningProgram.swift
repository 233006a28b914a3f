import Foundation
import Synchronization

/// A program that runs next to the tests until a test stops it.
final class RunningProgram: Sendable {
    let log: String
    private let process: Process
    private let status = Mutex<Int32?>(nil)

    init(executable: String, _ arguments: [String], environment: [String: String], log: String) throws {
        guard FileManager.default.createFile(atPath: log, contents: nil) else {
            throw HarnessError("Cannot write \(log)")
        }
        self.log = log
        self.process = Process()
        self.process.executableURL = URL(filePath: executable)
        self.process.arguments = arguments
        // A directory without an .env file, and an environment without the tests' variables that PostgreSQL would
        // read.
        self.process.currentDirectoryURL = URL(filePath: "/", directoryHint: .isDirectory)
        let inherited = ProcessInfo.processInfo.environment.filter { ["PATH", "HOME"].contains($0.key) }
        self.process.environment = inherited.merging(environment) { $1 }
        self.process.standardInput = FileHandle.nullDevice
        self.process.standardOutput = FileHandle(forWritingAtPath: log)
        self.process.standardError = self.process.standardOutput
        self.process.terminationHandler = { [weak self] ended in
            self?.status.withLock { $0 = ended.terminationStatus }
        }
        try Self.runWithOpenSignals(self.process)
    }

    deinit {
        self.send(SIGKILL)
    }

    var isRunning: Bool { self.status.withLock { $0 == nil } }

    /// The output so far.
    var output: String { String(decoding: FileManager.default.contents(atPath: self.log) ?? Data(), as: UTF8.self) }

    func send(_ signal: CInt) {
        // A process that could not be started has the id 0; a signal to 0 would reach this whole process group.
        let process = self.process.processIdentifier
        if process > 0, self.isRunning { kill(process, signal) }
    }

    /// Waits for the exit; after the limit it kills the program and throws an error.
    func exitStatus(within limit: Duration) async throws -> Int32 {
        let deadline = ContinuousClock.now + limit
        while ContinuousClock.now < deadline {
            if let status = self.status.withLock({ $0 }) { return status }
            try await Task.sleep(for: .milliseconds(20))
        }
        self.send(SIGKILL)
        throw HarnessError("the program did not end within \(limit); it printed: \(self.output.suffix(4_000))")
    }

    /// Asks the program to stop as a service manager does, and waits for the exit.
    func stop(within limit: Duration = .seconds(60)) async throws -> Int32 {
        self.send(SIGTERM)
        return try await self.exitStatus(within: limit)
    }

    /// Starts a process with no blocked signals; it would inherit the thread's mask, and the runtime's threads
    /// block most.
    private static func runWithOpenSignals(_ process: Process) throws {
        var none = sigset_t()
        var before = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try process.run()
    }
}
