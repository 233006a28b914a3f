import Logging
import ServiceLifecycle

/// Does one kind of work round by round until the service stops.
///
/// Any number of instances may do it at once; what fails is tried again in the next round.
struct PeriodicJob: Service {
    let name: String
    let interval: Duration
    /// How long the first round waits after the start.
    var delay: Duration = .zero
    let logger: Logger
    let work: @Sendable () async throws -> Void

    func run() async throws {
        await cancelWhenGracefulShutdown {
            guard await Self.pause(self.delay) else { return }
            repeat { await self.round() } while await Self.pause(self.interval)
        }
    }

    /// Waits; false when the service stops meanwhile.
    private static func pause(_ duration: Duration) async -> Bool {
        try? await Task.sleep(for: duration)
        return !Task.isCancelled
    }

    private func round() async {
        do {
            try await self.work()
        } catch {
            // Work that a shutdown cuts short has not failed.
            guard !Task.isCancelled else { return }
            self.logger.warning("a round of work failed", error: error, metadata: ["work": "\(self.name)"])
        }
    }
}
