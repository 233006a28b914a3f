import Postgres

extension PoolConfiguration {
    /// One connection that reads the books, however long that takes: nobody waits for an answer.
    static func books(url: String) -> PoolConfiguration {
        var configuration = PoolConfiguration(url: url)
        configuration.name = "books"
        configuration.maximumConnections = 1
        configuration.connection.queryTimeout = nil
        configuration.connection.statementTimeout = .zero
        return configuration
    }
}
