public import CoreMetrics
public import Logging

/// The sampler and the processor of recorded spans.
public struct SpanRecorder: Sendable {
    let sampler: TraceSampler
    /// Sends the spans; the application must run it as a service.
    public let processor: SpanProcessor

    /// Creates a recorder.
    ///
    /// - Parameters:
    ///   - configuration: The sampler, the collector and the limits.
    ///   - logger: Logs when the collector cannot be reached.
    ///   - metrics: Creates the counters of spans.
    public init(
        _ configuration: OTLPConfiguration,
        logger: Logger,
        metrics: any MetricsFactory = MetricsSystem.factory
    ) {
        self.sampler = configuration.sampler
        self.processor = SpanProcessor(configuration: configuration, logger: logger, metrics: metrics)
    }
}

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

/// Decides which traces are recorded, with the names of `OTEL_TRACES_SAMPLER`.
public struct TraceSampler: Sendable, Equatable {
    /// OpenTelemetry's names of samplers.
    public enum Name: String, Sendable, CaseIterable {
        /// Records every span.
        case alwaysOn = "always_on"
        /// Records no span.
        case alwaysOff = "always_off"
        /// Records a share of the traces, independent of the caller's decision.
        case ratio = "traceidratio"
        /// Follows the caller's decision, and records every trace that starts here.
        case parentBasedAlwaysOn = "parentbased_always_on"
        /// Follows the caller's decision, and records no trace that starts here.
        case parentBasedAlwaysOff = "parentbased_always_off"
        /// Follows the caller's decision, and records a share of the traces that start here.
        case parentBasedRatio = "parentbased_traceidratio"
    }

    private let followsParent: Bool
    /// The upper bound of recorded traces: a trace is recorded if the first 63 bits of the second half of its id are
    /// below it.
    private let bound: UInt64

    /// Creates a sampler.
    ///
    /// - Parameters:
    ///   - name: The sampler's name.
    ///   - ratio: The share, from 0 to 1, for samplers with a ratio.
    public init(_ name: Name, ratio: Double = 1) {
        self.followsParent = [.parentBasedAlwaysOn, .parentBasedAlwaysOff, .parentBasedRatio].contains(name)
        switch name {
        case .alwaysOn, .parentBasedAlwaysOn: self.bound = 1 << 63
        case .alwaysOff, .parentBasedAlwaysOff: self.bound = 0
        case .ratio, .parentBasedRatio: self.bound = UInt64(min(max(ratio, 0), 1) * 0x1p63)
        }
    }

    /// Returns `true` if a span is recorded.
    ///
    /// The decision depends on the trace's id, so that all services that sample by ratio choose the same traces.
    func samples(_ trace: TraceContext, parent: TraceContext?) -> Bool {
        if self.followsParent, let parent { return parent.isSampled }
        guard self.bound > 0 else { return false }
        let number = UInt64(trace.traceID.suffix(16), radix: 16) ?? 0
        return number >> 1 < self.bound
    }
}
