public import CoreMetrics
import Synchronization

/// Keeps the metrics of the process and writes them in Prometheus' text format.
///
/// Only families that were described are kept: what a library measures by itself under another name, or as another
/// kind, is dropped. Series are never forgotten. What is made for one wallet of several carries ``MetricOwner``.
public final class PrometheusRegistry: Sendable {
    /// The media type of ``text()``.
    public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private let families: [String: MetricFamily]
    private let order: [MetricFamily]
    private let collectors = Mutex<[@Sendable () -> Void]>([])

    /// Makes a registry.
    ///
    /// - Parameters:
    ///   - descriptions: The families, in the order in which they are written; each name once.
    ///   - seriesLimit: How many series one family has at most.
    public init(_ descriptions: [MetricDescription], seriesLimit: Int = 1_000) {
        self.order = descriptions.map { MetricFamily($0, limit: seriesLimit) }
        self.families = Dictionary(self.order.map { ($0.description.name, $0) }) { first, _ in first }
    }

    /// Has something done before each scrape, such as reading a number that is at hand and needs no keeping.
    ///
    /// - Parameter collect: What to do; must be quick.
    public func beforeScrape(_ collect: @escaping @Sendable () -> Void) {
        self.collectors.withLock { $0.append(collect) }
    }

    /// Writes all families.
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
    /// Makes the handler of a counter.
    ///
    /// - Parameters:
    ///   - label: The family's name.
    ///   - dimensions: The labels.
    /// - Returns: The handler, one that does nothing where no such counter is described.
    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        (self.series(label, dimensions) as CounterSeries?) ?? NOOPMetricsHandler.instance
    }

    /// Makes the handler of a counter of parts; otherwise as ``makeCounter(label:dimensions:)``.
    public func makeFloatingPointCounter(
        label: String,
        dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        (self.series(label, dimensions) as CounterSeries?) ?? NOOPMetricsHandler.instance
    }

    /// Makes the handler of a gauge; otherwise as ``makeCounter(label:dimensions:)``.
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        (self.series(label, dimensions) as GaugeSeries?) ?? NOOPMetricsHandler.instance
    }

    /// Makes the handler of a histogram, or where `aggregate` is false of a gauge.
    public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        if aggregate { return (self.series(label, dimensions) as HistogramSeries?) ?? NOOPMetricsHandler.instance }
        return (self.series(label, dimensions) as GaugeSeries?) ?? NOOPMetricsHandler.instance
    }

    /// Makes the handler of a histogram of seconds; otherwise as ``makeCounter(label:dimensions:)``.
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        (self.series(label, dimensions) as HistogramSeries?) ?? NOOPMetricsHandler.instance
    }

    /// Does nothing: a series that stood in one scrape stands in the next.
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
