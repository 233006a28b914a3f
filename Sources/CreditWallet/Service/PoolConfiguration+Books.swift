import Postgres

extension PoolConfiguration {
    /// Returns the configuration of a single connection for ledger checks, without timeouts, because no request waits
    /// for them.
    static func books(url: String) -> PoolConfiguration {
        var configuration = PoolConfiguration(url: url)
        configuration.name = "books"
        configuration.maximumConnections = 1
        configuration.connection.queryTimeout = nil
        configuration.connection.statementTimeout = .zero
        return configuration
    }
}
