import HTTPTypes
import Hummingbird

/// Informs whatever sends requests whether they may be sent here.
///
/// - `GET /ready` (public): requests may be sent here
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
            throw Problem(.serviceUnavailable, "not-ready", "The database does not answer as it should.", retryAfter: 5)
        }
        return JSONAnswer(["status": "ready"], headers: [.cacheControl: "no-store"])
    }
}

extension DrainGate {
    /// Refuses further requests while the service is stopping.
    func refuseReadiness() throws(Problem) {
        guard self.isDraining else { return }
        throw Problem(.serviceUnavailable, "not-ready", "The service is shutting down.", retryAfter: 5)
    }
}
