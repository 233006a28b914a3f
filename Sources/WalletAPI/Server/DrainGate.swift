import HTTPTypes
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

    /// Refuses the readiness probe while the service is shutting down.
    func refuseReadiness() throws(Problem) {
        guard self.isDraining else { return }
        throw Problem(.serviceUnavailable, "not-ready", "The service is shutting down.", retryAfter: 5)
    }
}

/// Asks clients to close their connections once the service is stopping.
struct DrainMiddleware: RouterMiddleware {
    typealias Context = AppRequestContext

    let drain: DrainGate

    func handle(
        _ request: Request,
        context: AppRequestContext,
        next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        do {
            var response = try await next(request, context)
            if self.drain.isDraining { response.headers[.connection] = "close" }
            return response
        } catch var problem as Problem {
            if self.drain.isDraining { problem.headers[.connection] = "close" }
            throw problem
        }
    }
}
