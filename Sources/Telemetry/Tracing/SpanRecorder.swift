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
