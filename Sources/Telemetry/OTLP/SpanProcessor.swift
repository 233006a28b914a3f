import AsyncHTTPClient
import CoreMetrics
import Logging
public import ServiceLifecycle
import Synchronization

/// Queues ended spans and sends them in batches, so that recorded work never waits for the export.
///
/// A span is dropped and counted if the queue is full. When the service stops, the remaining spans are sent within
/// ``OTLPConfiguration/flushTimeout``. Start the processor before all services that create spans, so that it stops
/// after them.
public final class SpanProcessor: Service, Sendable {
    private enum Wake: Sendable {
        case tick
        case full
    }

    private struct State {
        var queue: [OTLPSpan] = []
        var isClosed = false
    }

    private let configuration: OTLPConfiguration
    private let logger: Logger
    private let metrics: SpanMetrics
    private let state = Mutex(State())
    private let outage = Mutex(false)
    private let wakes: AsyncStream<Wake>
    private let waker: AsyncStream<Wake>.Continuation

    /// Creates a processor; the metrics system must already be set up.
    ///
    /// - Parameters:
    ///   - configuration: The collector and the limits.
    ///   - logger: Logs when the collector becomes unreachable and when it is reachable again.
    ///   - metrics: Creates the counters of spans.
    init(configuration: OTLPConfiguration, logger: Logger, metrics: any MetricsFactory) {
        self.metrics = SpanMetrics(metrics)
        self.configuration = configuration
        self.logger = logger
        (self.wakes, self.waker) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Sends spans until the service stops, and then the remaining ones.
    ///
    /// - Throws: Errors of closing the HTTP client.
    public func run() async throws {
        var client = HTTPClient.Configuration(redirectConfiguration: .disallow)
        // The export itself creates no spans.
        client.tracing.tracer = nil
        try await HTTPClient.withHTTPClient(configuration: client) { httpClient in
            let exporter = OTLPExporter(configuration: self.configuration, httpClient: httpClient)
            await cancelWhenGracefulShutdown { await self.work(exporter) }
            await self.flush(exporter)
        }
    }

    /// Queues a span that ended.
    func take(_ span: OTLPSpan) {
        let (isTaken, isClosed, isFull) = self.state.withLock { state in
            guard !state.isClosed, state.queue.count < self.configuration.queueSize else {
                return (false, state.isClosed, false)
            }
            state.queue.append(span)
            return (true, false, state.queue.count.isMultiple(of: self.configuration.batchSize))
        }
        if isFull { self.waker.yield(.full) }
        if isTaken { return }
        if isClosed { self.metrics.noteDroppedAfterEnd(1) } else { self.metrics.noteDroppedAtFullQueue() }
    }

    private func work(_ exporter: OTLPExporter) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                // The loop ends when the service stops.
                while (try? await Task.sleep(for: self.configuration.scheduleDelay)) != nil { self.waker.yield(.tick) }
            }
            for await wake in self.wakes {
                let least = wake == .tick ? 1 : self.configuration.batchSize
                while !Task.isCancelled, let batch = self.next(atLeast: least) { await self.send(batch, by: exporter) }
            }
            group.cancelAll()
        }
    }

    /// Takes a batch from the queue; returns nil if there are too few spans.
    private func next(atLeast count: Int) -> [OTLPSpan]? {
        self.state.withLock { state in
            guard state.queue.count >= count, !state.queue.isEmpty else { return nil }
            let batch = Array(state.queue.prefix(self.configuration.batchSize))
            state.queue.removeFirst(batch.count)
            return batch
        }
    }

    private func send(_ batch: [OTLPSpan], by exporter: OTLPExporter) async {
        let outcome = await exporter.export(batch, before: .now + self.configuration.exportTimeout)
        self.note(outcome, of: batch.count)
        switch outcome {
        // The interrupted batch is sent again; the collector can detect duplicates by their ids.
        case .interrupted: self.state.withLock { $0.queue.insert(contentsOf: batch, at: 0) }
        // The sleep ends early only if the service stops.
        case .failed(_, let rest) where rest > .zero: try? await Task.sleep(for: min(rest, .seconds(60)))
        case .failed, .exported: break
        }
    }

    private func flush(_ exporter: OTLPExporter) async {
        self.state.withLock { $0.isClosed = true }
        let deadline = ContinuousClock.now + self.configuration.flushTimeout
        while ContinuousClock.now < deadline, !Task.isCancelled, let batch = self.next(atLeast: 1) {
            let outcome = await exporter.export(batch, before: deadline)
            self.note(outcome, of: batch.count)
            if outcome == .interrupted { self.metrics.noteFailed(batch.count, "interrupted") }
        }
        let left = self.state.withLock { $0.queue.count }
        guard left > 0 else { return }
        self.metrics.noteDroppedAfterEnd(left)
        self.logger.warning("spans were dropped because the service stopped", metadata: ["spans": "\(left)"])
    }

    private func note(_ outcome: OTLPExporter.Outcome, of count: Int) {
        switch outcome {
        case .exported(let rejected):
            let refused = min(max(rejected, 0), count)
            self.metrics.noteProcessed(count)
            self.metrics.noteExported(count - refused)
            if refused > 0 { self.metrics.noteFailed(refused, "rejected") }
            if self.outage.exchange(false) { self.logger.info("the collector accepts spans again") }
        case .failed(let reason, _):
            self.metrics.noteProcessed(count)
            self.metrics.noteFailed(count, reason)
            if !self.outage.exchange(true) {
                self.logger.warning(
                    "the collector does not accept spans; they are dropped",
                    metadata: ["reason": "\(reason)"]
                )
            }
        case .interrupted: break
        }
    }
}

extension Mutex where Value == Bool {
    fileprivate borrowing func exchange(_ value: Bool) -> Bool {
        self.withLock { current in
            defer { current = value }
            return current
        }
    }
}

/// The metrics of exported and dropped spans, with the semantic conventions' names for SDK metrics.
private struct SpanMetrics: Sendable {
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
