import AsyncHTTPClient

extension HTTPClient.Configuration {
    /// What calls to stores and key sets go by.
    ///
    /// Waiting for a connection counts as the call's own time, so a few calls that hang must not use up the host's share.
    static var outgoing: Self {
        var configuration = Self()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
        return configuration
    }
}
