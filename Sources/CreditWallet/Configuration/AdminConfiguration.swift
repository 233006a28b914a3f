/// The address of the metrics endpoint, and the intervals at which the ledger's metrics are sampled.
struct AdminConfiguration: Sendable, Equatable {
    var host = "127.0.0.1"
    var port: Int
    /// The interval at which totals and backlogs are read; nil disables it.
    var metricsInterval: Duration?
    /// The interval at which the invariants are checked; nil disables it.
    var invariantsInterval: Duration?
}

extension Settings {
    /// Returns the settings of the metrics endpoint; nil if it is disabled.
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
