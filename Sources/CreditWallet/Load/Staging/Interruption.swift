import Foundation
import UnixSignals

/// What a command does when it is asked to end while there is something to put away.
enum Interruption {
    /// Runs work that is cancelled by SIGINT or SIGTERM; a second signal ends the process at once.
    ///
    /// - Parameter work: The work; it puts away what it made before it returns.
    /// - Returns: What the work returns.
    /// - Throws: What the work throws, ``CommandError`` when it was cancelled.
    static func cancelling<Result: Sendable>(
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        let task = Task { try await work() }
        let watch = Task {
            for await _ in signals {
                // 128 and the number of SIGINT, as shells have it.
                if task.isCancelled { Foundation.exit(130) }
                task.cancel()
            }
        }
        defer { watch.cancel() }
        do {
            return try await task.value
        } catch is CancellationError {
            throw CommandError(.failed, "Ended before its time, as asked.")
        }
    }
}
