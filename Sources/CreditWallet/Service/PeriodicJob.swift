import Logging
import ServiceLifecycle

/// Runs a job repeatedly until the service stops.
///
/// Several instances may run the same job concurrently. A failed round is repeated in the next interval.
struct PeriodicJob: Service {
    let name: String
    let interval: Duration
    /// The delay of the first round after the start.
    var delay: Duration = .zero
    let logger: Logger
    let work: @Sendable () async throws -> Void

    func run() async throws {
        await cancelWhenGracefulShutdown {
            guard await Self.pause(self.delay) else { return }
            repeat { await self.round() } while await Self.pause(self.interval)
        }
    }

    /// Waits; returns `false` if the service stops in the meantime.
    private static func pause(_ duration: Duration) async -> Bool {
        try? await Task.sleep(for: duration)
        return !Task.isCancelled
    }

    private func round() async {
        do {
            try await self.work()
        } catch {
            // An interruption by a shutdown is not a failure.
            guard !Task.isCancelled else { return }
            self.logger.warning("a round of background work failed", error: error, metadata: ["work": "\(self.name)"])
        }
    }
}
