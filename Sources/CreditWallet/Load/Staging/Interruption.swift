import Foundation
import UnixSignals

/// Handles signals while a command has something to clean up.
enum Interruption {
    /// Runs an operation that SIGINT or SIGTERM cancels; a second signal ends the process immediately.
    ///
    /// - Parameter work: The operation, which cleans up before it returns.
    /// - Returns: The result of the operation.
    /// - Throws: The error of the operation; ``CommandError`` if it was cancelled.
    static func cancelling<Result: Sendable>(
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        let task = Task { try await work() }
        let watch = Task {
            for await _ in signals {
                // The exit code is 128 plus the number of SIGINT, as in shells.
                if task.isCancelled { Foundation.exit(130) }
                task.cancel()
            }
        }
        defer { watch.cancel() }
        do {
            return try await task.value
        } catch is CancellationError {
            throw CommandError(.failed, "Interrupted by a signal.")
        }
    }
}
