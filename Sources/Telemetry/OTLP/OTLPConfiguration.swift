/// The collector and the limits for exporting spans.
public struct OTLPConfiguration: Sendable, Equatable {
    /// The collector's URL for traces, including the path.
    public var url: String
    /// The header fields of each request, such as an API key of the collector.
    public var headers: [String: String] = [:]
    /// The resource attributes of the spans, with names of the semantic conventions: `service.name` and others.
    public var resource: [String: String] = [:]
    /// The sampler that decides which traces are recorded.
    public var sampler = TraceSampler(.parentBasedAlwaysOn)
    /// The timeout of one attempt.
    public var timeout: Duration = .seconds(10)
    /// The timeout of one batch with all its attempts.
    public var exportTimeout: Duration = .seconds(30)
    /// The maximum time for which spans wait in the queue before a batch is sent.
    public var scheduleDelay: Duration = .seconds(5)
    /// The maximum number of spans in the queue; further spans are dropped and counted.
    public var queueSize = 2_048
    /// The maximum number of spans in one request.
    public var batchSize = 512
    /// The time for sending the remaining spans after the service stops.
    public var flushTimeout: Duration = .seconds(5)

    /// Creates a configuration with OpenTelemetry's defaults.
    ///
    /// - Parameter url: The collector's URL for traces, including the path.
    public init(url: String) {
        self.url = url
    }
}
