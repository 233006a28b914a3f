import Hummingbird
import ServiceLifecycle
import Synchronization

/// Reports that the service is about to stop, before it stops accepting connections.
///
/// During this delay, a load balancer sees `/ready` fail and sends its requests elsewhere.
final class DrainGate: Service {
    private let closed = Atomic<Bool>(false)
    private let delay: Duration

    init(delay: Duration) {
        self.delay = delay
    }

    /// A Boolean value that indicates whether the service is stopping.
    var isDraining: Bool {
        self.closed.load(ordering: .relaxed) || Task.isShuttingDownGracefully
    }

    /// Waits for the shutdown, closes the gate, and delays the shutdown of the services that were started earlier.
    func run() async throws {
        try await gracefulShutdown()
        self.closed.store(true, ordering: .relaxed)
        if self.delay > .zero { try await Task.sleep(for: self.delay) }
    }
}
