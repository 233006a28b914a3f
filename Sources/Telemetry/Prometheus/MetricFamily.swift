import Synchronization

/// All series with the same metric name.
final class MetricFamily: Sendable {
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
