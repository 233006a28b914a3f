import Logging
import ServiceLifecycle

/// Does one kind of work round by round until the service stops.
///
/// Any number of instances may do it at once; what fails is tried again in the next round.
struct Rounds: Service {
    let name: String
    let interval: Duration
    let logger: Logger
    let work: @Sendable () async throws -> Void

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await self.round()
                do {
                    try await Task.sleep(for: self.interval)
                } catch {
                    return
                }
            }
        }
    }

    private func round() async {
        do {
            try await self.work()
        } catch {
            self.logger.warning("a round of work failed", error: error, metadata: ["work": "\(self.name)"])
        }
    }
}
