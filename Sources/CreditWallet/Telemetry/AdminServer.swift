import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import Telemetry

/// Answers the machinery around the service, on an address that users do not reach.
///
/// - `GET /metrics`: Prometheus' text format
struct AdminServer: Service {
    let configuration: AdminConfiguration
    let registry: PrometheusRegistry
    let logger: Logger

    /// Answers until the service stops.
    func run() async throws {
        let router = Router()
        router.get("metrics") { _, _ in self.metrics() }
        let application = Application(
            router: router,
            configuration: ApplicationConfiguration(
                address: .hostname(self.configuration.host, port: self.configuration.port),
                serverName: "credit-wallet",
                // Sockets that reuse addresses may be given one free port twice, and then only one of them may listen.
                reuseAddress: self.configuration.port != 0
            ),
            logger: self.logger
        )
        try await application.run()
    }

    private func metrics() -> Response {
        let body = ByteBuffer(string: self.registry.text())
        return Response(
            status: .ok,
            headers: [
                .contentType: PrometheusRegistry.contentType, .contentLength: String(body.readableBytes),
                .cacheControl: "no-store",
            ],
            body: ResponseBody(byteBuffer: body)
        )
    }
}
