/// Where the service serves its metrics, and how often it reads those of the books.
struct AdminConfiguration: Sendable, Equatable {
    var host = "127.0.0.1"
    var port: Int
    /// How often sums and backlogs are read; nil for never.
    var metricsInterval: Duration?
    /// How often the invariants are counted; nil for never.
    var invariantsInterval: Duration?
}

extension Settings {
    /// Reads where metrics are served, nil where they are not.
    func admin() throws(CommandError) -> AdminConfiguration? {
        guard try self.string(.adminPort) != nil else { return nil }
        return AdminConfiguration(
            host: try self.required(.adminHost),
            port: try self.integer(.adminPort, in: 0...65_535),
            metricsInterval: try self.interval(.metricsInterval),
            invariantsInterval: try self.interval(.invariantsInterval)
        )
    }
}
