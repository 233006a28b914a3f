import AsyncHTTPClient
import Logging
import Stores
import Telemetry

/// What one wallet of several calls others with, so that calls that hang take no other wallet's connections.
struct OutgoingClients: Sendable {
    /// Calls stores and key sets.
    let stores: HTTPClient
    /// Sends events, which may go into the own network.
    let events: HTTPClient
    private let logger: Logger

    init(within reach: EgressPolicy, tracer: SpanTracer, logger: Logger) {
        self.stores = HTTPClient(configuration: .outgoing(within: reach, tracer: tracer, logger: logger))
        self.events = HTTPClient(configuration: .outgoing(tracer: tracer))
        self.logger = logger
    }

    /// Ends them, with what they are still doing.
    func shutDown() async {
        for client in [self.stores, self.events] {
            do {
                try await client.shutdown()
            } catch {
                self.logger.warning("calls were cut short", error: error)
            }
        }
    }
}
