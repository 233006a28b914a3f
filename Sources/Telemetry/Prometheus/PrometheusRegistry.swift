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

/// The wallet that owns new metrics, if one process serves several wallets.
///
/// Metrics that are created while a wallet is set get the label `wallet`; other metrics belong to the process.
public enum MetricOwner {
    /// The wallet's name; nil in a process with one wallet, and for metrics of the process.
    @TaskLocal public static var wallet: String?

    static let label = "wallet"
}

/// All series with the same metric name.
private final class MetricFamily: Sendable {
    let description: MetricDescription
    private let limit: Int
    private let series = Mutex<[String: any MetricSeries]>([:])

    init(_ description: MetricDescription, limit: Int) {
        self.description = description
        self.limit = limit
    }

    /// Returns the series with these labels, and creates it if necessary; nil if the family's series have another type.
    ///
    /// Beyond the limit, all further label values are replaced by `other`: label values that clients can choose must
    /// not fill the memory of this process and of every scraper. The wallet's name is kept, since clients cannot choose
    /// it.
    func series<Series: MetricSeries>(of dimensions: [(String, String)]) -> Series? {
        let labels = PrometheusText.labels(dimensions)
        return self.series.withLock { series in
            if let known = series[labels] { return known as? Series }
            let others = dimensions.map { ($0.0, $0.0 == MetricOwner.label ? $0.1 : "other") }
            let key = series.count < self.limit ? labels : PrometheusText.labels(others)
            guard let found = (series[key] ?? self.make()) as? Series else { return nil }
            series[key] = found
            return found
        }
    }

    /// Writes the family; writes nothing if no series has a value.
    func write(to text: inout String) {
        var samples = ""
        for (labels, series) in self.series.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
            series.write(self.description.name, labels: labels, to: &samples)
        }
        guard !samples.isEmpty else { return }
        text += PrometheusText.header(self.description.name, self.description.help, self.type) + samples
    }

    private var type: String {
        switch self.description.kind {
        case .counter: "counter"
        case .gauge: "gauge"
        case .histogram: "histogram"
        }
    }

    private func make() -> any MetricSeries {
        switch self.description.kind {
        case .counter: CounterSeries()
        case .gauge: GaugeSeries()
        case .histogram(let bounds): HistogramSeries(bounds: bounds)
        }
    }
}
