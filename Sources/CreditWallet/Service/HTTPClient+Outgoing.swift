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
    static var outgoing: Self {
        var configuration = Self(redirectConfiguration: .disallow)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
        configuration.tracing.tracer = TracePropagator()
        return configuration
    }

    /// The same, with each connection looked at before anything is sent on it.
    ///
    /// - Parameters:
    ///   - reach: How far connections may lead.
    ///   - logger: Learns of those that led further.
    /// - Returns: The configuration.
    static func outgoing(within reach: EgressPolicy, logger: Logger) -> Self {
        var configuration = Self.outgoing
        guard reach != .anywhere else { return configuration }
        configuration.http1_1ConnectionDebugInitializer = { reach.check($0, logger: logger) }
        configuration.http2ConnectionDebugInitializer = { reach.check($0, logger: logger) }
        return configuration
    }
}
