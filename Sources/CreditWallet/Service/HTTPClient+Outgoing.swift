import AsyncHTTPClient
import Logging
import Stores
import Telemetry

extension HTTPClient.Configuration {
    /// The configuration of calls to stores, key sets and the events' endpoint.
    ///
    /// The wait for a connection counts toward a call's timeout, so a few hanging calls must not use up the host's
    /// connections. Each call carries the trace of its request. Redirects are not followed, because the data is meant
    /// for the configured address only.
    static var outgoing: Self { .outgoing(tracer: SpanTracer()) }

    /// Returns the same configuration with a tracer that records calls as spans.
    ///
    /// - Parameter tracer: The tracer.
    /// - Returns: The configuration.
    static func outgoing(tracer: SpanTracer) -> Self {
        var configuration = Self(redirectConfiguration: .disallow)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
        configuration.tracing.tracer = tracer
        return configuration
    }

    /// Returns the same configuration with a check of each connection before data is sent.
    ///
    /// - Parameters:
    ///   - reach: The networks that connections may reach.
    ///   - tracer: The tracer.
    ///   - logger: The logger for refused connections.
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
