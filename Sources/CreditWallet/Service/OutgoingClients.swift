import AsyncHTTPClient
import Logging
import Stores
import Telemetry

/// The HTTP clients of one of several wallets, so that hanging calls use no connections of other wallets.
struct OutgoingClients: Sendable {
    /// The client for stores and key sets.
    let stores: HTTPClient
    /// The client for events, whose endpoint may be in a private network.
    let events: HTTPClient
    private let logger: Logger

    init(within reach: EgressPolicy, tracer: SpanTracer, logger: Logger) {
        self.stores = HTTPClient(configuration: .outgoing(within: reach, tracer: tracer, logger: logger))
        self.events = HTTPClient(configuration: .outgoing(tracer: tracer))
        self.logger = logger
    }

    /// Shuts down the clients and aborts their calls.
    func shutDown() async {
        for client in [self.stores, self.events] {
            do {
                try await client.shutdown()
            } catch {
                self.logger.warning("outgoing calls were aborted at shutdown", error: error)
            }
        }
    }
}
