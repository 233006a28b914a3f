import Hummingbird
import ServiceLifecycle
import Synchronization

/// Reports that the service is about to stop, some time before it takes no more connections.
///
/// A load balancer needs that time to see `/ready` fail and to send its requests elsewhere.
final class DrainGate: Service {
    private let closed = Atomic<Bool>(false)
    private let delay: Duration

    init(delay: Duration) {
        self.delay = delay
    }

    /// Whether the service is stopping.
    var isDraining: Bool {
        self.closed.load(ordering: .relaxed) || Task.isShuttingDownGracefully
    }

    /// Waits for the shutdown, closes the gate and holds the shutdown of what was started before for the delay.
    func run() async throws {
        try await gracefulShutdown()
        self.closed.store(true, ordering: .relaxed)
        if self.delay > .zero { try await Task.sleep(for: self.delay) }
    }
}
