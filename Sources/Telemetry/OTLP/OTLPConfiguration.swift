/// Where spans go, and how.
public struct OTLPConfiguration: Sendable, Equatable {
    /// The collector's address for traces, path included.
    public var url: String
    /// Fields that each request carries, such as a key of the collector's.
    public var headers: [String: String] = [:]
    /// What the spans are of, by names of the semantic conventions: `service.name` and others.
    public var resource: [String: String] = [:]
    /// Which traces are recorded.
    public var sampler = TraceSampler(.parentBasedAlwaysOn)
    /// How long one attempt may take.
    public var timeout: Duration = .seconds(10)
    /// How long one batch is tried.
    public var exportTimeout: Duration = .seconds(30)
    /// How long spans wait for others to go with.
    public var scheduleDelay: Duration = .seconds(5)
    /// How many spans wait at most; further ones are dropped and counted.
    public var queueSize = 2_048
    /// How many spans one request carries at most.
    public var batchSize = 512
    /// How long spans that are left are sent once the service stops.
    public var flushTimeout: Duration = .seconds(5)

    /// Makes a configuration with OpenTelemetry's defaults.
    ///
    /// - Parameter url: The collector's address for traces, path included.
    public init(url: String) {
        self.url = url
    }
}
