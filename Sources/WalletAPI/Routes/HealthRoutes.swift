import HTTPTypes
import Hummingbird
import NIOCore

/// Serves the probes and documents that need no wallet.
///
/// - `GET /health` (public): the process is alive; the database is not queried
/// - `GET /openapi.yaml` (public)
struct HealthRoutes {
    func add(to group: some RouterMethods<AppRequestContext>) {
        group.get("health") { _, _ in JSONAnswer(["status": "ok"], headers: [.cacheControl: "no-store"]) }
        group.get("openapi.yaml", use: self.document)
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
