public import CoreMetrics
public import Logging

/// What keeps spans: a choice of traces, and where their spans go.
public struct SpanRecorder: Sendable {
    let sampler: TraceSampler
    /// Sends the spans; a service to be run.
    public let processor: SpanProcessor

    /// Makes a recorder.
    ///
    /// - Parameters:
    ///   - configuration: Which traces, and where to.
    ///   - logger: Logs when the collector cannot be reached.
    ///   - metrics: Counts spans.
    public init(
        _ configuration: OTLPConfiguration,
        logger: Logger,
        metrics: any MetricsFactory = MetricsSystem.factory
    ) {
        self.sampler = configuration.sampler
        self.processor = SpanProcessor(configuration: configuration, logger: logger, metrics: metrics)
    }
}
