public import CoreMetrics
import Synchronization

/// Stores the metrics of the process and writes them in Prometheus' text format.
///
/// Only described families are stored: metrics of libraries with other names or kinds are dropped. Series are never
/// removed. Metrics of one of several wallets have the label of ``MetricOwner``.
public final class PrometheusRegistry: Sendable {
    /// The media type of ``text()``.
    public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private let families: [String: MetricFamily]
    private let order: [MetricFamily]
    private let collectors = Mutex<[@Sendable () -> Void]>([])

    /// Creates a registry.
    ///
    /// - Parameters:
    ///   - descriptions: The families, in output order; each name once.
    ///   - seriesLimit: The maximum number of series per family.
    public init(_ descriptions: [MetricDescription], seriesLimit: Int = 1_000) {
        self.order = descriptions.map { MetricFamily($0, limit: seriesLimit) }
        self.families = Dictionary(self.order.map { ($0.description.name, $0) }) { first, _ in first }
    }

    /// Registers a function to run before each scrape, for example to read a current value.
    ///
    /// - Parameter collect: The function; it must be quick.
    public func beforeScrape(_ collect: @escaping @Sendable () -> Void) {
        self.collectors.withLock { $0.append(collect) }
    }

    /// Returns all families in the text format.
    ///
    /// - Returns: The text.
    public func text() -> String {
        for collect in self.collectors.withLock({ $0 }) { collect() }
        var text = ""
        for family in self.order { family.write(to: &text) }
        return text
    }

    private func series<Series: MetricSeries>(_ label: String, _ dimensions: [(String, String)]) -> Series? {
        guard let wallet = MetricOwner.wallet, !dimensions.contains(where: { $0.0 == MetricOwner.label }) else {
            return self.families[label]?.series(of: dimensions)
        }
        return self.families[label]?.series(of: dimensions + [(MetricOwner.label, wallet)])
    }
}

extension PrometheusRegistry: MetricsFactory {
    /// Creates the handler of a counter.
    ///
    /// - Parameters:
    ///   - label: The family's name.
    ///   - dimensions: The labels.
    /// - Returns: The handler; it does nothing if no such counter is described.
    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        (self.series(label, dimensions) as CounterSeries?) ?? NOOPMetricsHandler.instance
    }

    /// Creates the handler of a floating-point counter; otherwise as ``makeCounter(label:dimensions:)``.
    public func makeFloatingPointCounter(
        label: String,
        dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        (self.series(label, dimensions) as CounterSeries?) ?? NOOPMetricsHandler.instance
    }

    /// Creates the handler of a gauge; otherwise as ``makeCounter(label:dimensions:)``.
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        (self.series(label, dimensions) as GaugeSeries?) ?? NOOPMetricsHandler.instance
    }

    /// Creates the handler of a histogram, or of a gauge if `aggregate` is `false`.
    public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        if aggregate { return (self.series(label, dimensions) as HistogramSeries?) ?? NOOPMetricsHandler.instance }
        return (self.series(label, dimensions) as GaugeSeries?) ?? NOOPMetricsHandler.instance
    }

    /// Creates the handler of a histogram of seconds; otherwise as ``makeCounter(label:dimensions:)``.
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        (self.series(label, dimensions) as HistogramSeries?) ?? NOOPMetricsHandler.instance
    }

    /// Does nothing: a series that was in one scrape stays in the next.
    public func destroyCounter(_ handler: any CounterHandler) {}
    /// Does nothing.
    public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    /// Does nothing.
    public func destroyMeter(_ handler: any MeterHandler) {}
    /// Does nothing.
    public func destroyRecorder(_ handler: any RecorderHandler) {}
    /// Does nothing.
    public func destroyTimer(_ handler: any TimerHandler) {}
}
