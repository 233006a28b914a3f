import HTTPTypes
import Hummingbird
import NIOCore

/// Informs the machinery around the service how it is.
///
/// - `GET /health` (public): the process answers; the database is not asked
/// - `GET /ready` (public): requests may be sent here
/// - `GET /openapi.yaml` (public)
struct HealthRoutes {
    let drain: DrainGate
    let isReady: @Sendable () async -> Bool

    func add(to group: some RouterMethods<AppRequestContext>) {
        group.get("health") { _, _ in JSONAnswer(["status": "ok"], headers: [.cacheControl: "no-store"]) }
        group.get("ready", use: self.ready)
        group.get("openapi.yaml", use: self.document)
    }

    @Sendable
    private func ready(_ request: Request, _ context: AppRequestContext) async throws -> JSONAnswer<[String: String]> {
        if self.drain.isDraining {
            throw Problem(.serviceUnavailable, "not-ready", "The service is shutting down.", retryAfter: 5)
        }
        guard await self.isReady() else {
            throw Problem(.serviceUnavailable, "not-ready", "The database does not answer as it should.", retryAfter: 5)
        }
        return JSONAnswer(["status": "ready"], headers: [.cacheControl: "no-store"])
    }

    @Sendable
    private func document(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let body = ByteBuffer(string: EmbeddedOpenAPI.yaml)
        return Response(
            status: .ok,
            headers: [.contentType: "application/yaml", .contentLength: String(body.readableBytes)],
            body: ResponseBody(byteBuffer: body)
        )
    }
}
