import CoreMetrics

/// The metrics of exported and dropped spans, with the semantic conventions' names for SDK metrics.
struct SpanMetrics: Sendable {
    private static let error = SpanAttributeNames.errorType
    private static let exportedName = "otel_sdk_exporter_span_exported_total"
    private static let processedName = "otel_sdk_processor_span_processed_total"

    private let factory: any MetricsFactory
    private let exported: Counter
    private let processed: Counter
    private let full: Counter
    private let closed: Counter

    init(_ factory: any MetricsFactory) {
        func counter(_ name: String, _ reason: String? = nil) -> Counter {
            Counter(label: name, dimensions: reason.map { [(Self.error, $0)] } ?? [], factory: factory)
        }
        self.factory = factory
        self.exported = counter(Self.exportedName)
        self.processed = counter(Self.processedName)
        self.full = counter(Self.processedName, "queue_full")
        self.closed = counter(Self.processedName, "already_shutdown")
    }

    func noteExported(_ count: Int) {
        self.exported.increment(by: count)
    }

    /// Counts spans that the collector did not accept; the reason is one of a fixed set.
    func noteFailed(_ count: Int, _ reason: String) {
        Counter(label: Self.exportedName, dimensions: [(Self.error, reason)], factory: self.factory)
            .increment(by: count)
    }

    func noteProcessed(_ count: Int) { self.processed.increment(by: count) }
    func noteDroppedAtFullQueue() { self.full.increment() }
    func noteDroppedAfterEnd(_ count: Int) { self.closed.increment(by: count) }
}

extension MetricDescription {
    /// The metric families of ``SpanProcessor``.
    public static let spans: [MetricDescription] = [
        .counter(
            "otel_sdk_processor_span_processed_total",
            "Ended spans; dropped spans have the reason as error_type."
        ),
        .counter(
            "otel_sdk_exporter_span_exported_total",
            "Exported spans; failed exports have the reason as error_type."
        ),
    ]
}
