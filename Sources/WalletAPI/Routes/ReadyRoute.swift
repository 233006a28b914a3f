import HTTPTypes
import Hummingbird

/// Reports to load balancers whether this process accepts requests.
///
/// - `GET /ready` (public): the process accepts requests
struct ReadyRoute {
    let drain: DrainGate
    let isReady: @Sendable () async -> Bool

    func add(to group: some RouterMethods<AppRequestContext>) {
        group.get("ready", use: self.ready)
    }

    @Sendable
    private func ready(_ request: Request, _ context: AppRequestContext) async throws -> JSONAnswer<[String: String]> {
        try self.drain.refuseReadiness()
        guard await self.isReady() else {
            throw Problem(.serviceUnavailable, "not-ready", "The database does not respond correctly.", retryAfter: 5)
        }
        return JSONAnswer(["status": "ready"], headers: [.cacheControl: "no-store"])
    }
}

extension DrainGate {
    /// Refuses the readiness probe while the service is shutting down.
    func refuseReadiness() throws(Problem) {
        guard self.isDraining else { return }
        throw Problem(.serviceUnavailable, "not-ready", "The service is shutting down.", retryAfter: 5)
    }
}
