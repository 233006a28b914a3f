import AsyncHTTPClient
import Logging
import Stores
import Telemetry

extension HTTPClient.Configuration {
    /// What calls to stores, key sets and the events' endpoint go by.
    ///
    /// Waiting for a connection counts as the call's own time, so a few calls that hang must not use up the host's
    /// share. Each call carries the trace of the request that it is made for. Redirects are not followed: what is sent
    /// is meant for the address that was configured.
    static var outgoing: Self { .outgoing(tracer: SpanTracer()) }

    /// The same, whose calls are spans where the tracer records.
    ///
    /// - Parameter tracer: Gives each call its place in the trace.
    /// - Returns: The configuration.
    static func outgoing(tracer: SpanTracer) -> Self {
        var configuration = Self(redirectConfiguration: .disallow)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
        configuration.tracing.tracer = tracer
        return configuration
    }

    /// The same, with each connection looked at before anything is sent on it.
    ///
    /// - Parameters:
    ///   - reach: How far connections may lead.
    ///   - tracer: Gives each call its place in the trace.
    ///   - logger: Learns of those that led further.
    /// - Returns: The configuration.
    static func outgoing(
        within reach: EgressPolicy,
        tracer: SpanTracer = SpanTracer(),
        logger: Logger
    ) -> Self {
        var configuration = Self.outgoing(tracer: tracer)
        guard reach != .anywhere else { return configuration }
        configuration.http1_1ConnectionDebugInitializer = { reach.check($0, logger: logger) }
        configuration.http2ConnectionDebugInitializer = { reach.check($0, logger: logger) }
        return configuration
    }
}
