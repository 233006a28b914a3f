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

    /// The document, which all responses share.
    private static let openAPI = ByteBuffer(string: EmbeddedOpenAPI.yaml)

    @Sendable
    private func document(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        Response(
            status: .ok,
            headers: [.contentType: "application/yaml", .contentLength: String(Self.openAPI.readableBytes)],
            body: ResponseBody(byteBuffer: Self.openAPI)
        )
    }
}

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
