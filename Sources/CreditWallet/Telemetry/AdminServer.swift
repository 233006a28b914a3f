import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import Telemetry

/// Serves metrics to monitoring systems, on an address that users cannot reach.
///
/// - `GET /metrics`: Prometheus' text format
struct AdminServer: Service {
    let configuration: AdminConfiguration
    let registry: PrometheusRegistry
    let logger: Logger

    /// Serves until shutdown.
    func run() async throws {
        let router = Router()
        router.get("metrics") { _, _ in self.metrics() }
        let application = Application(
            router: router,
            configuration: ApplicationConfiguration(
                address: .hostname(self.configuration.host, port: self.configuration.port),
                serverName: "credit-wallet",
                // With address reuse, two sockets could receive the same free port, and only one of them could listen.
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
