import Synchronization

/// All series of one name.
final class MetricFamily: Sendable {
    let description: MetricDescription
    private let limit: Int
    private let series = Mutex<[String: any MetricSeries]>([:])

    init(_ description: MetricDescription, limit: Int) {
        self.description = description
        self.limit = limit
    }

    /// Finds the series of some labels, or begins it; nil where the family's series are of another kind.
    ///
    /// Beyond the limit all further ones are one, whose labels say `other`: a label that somebody outside can choose
    /// must not fill the memory here and in every scraper. Nobody outside chooses the name of a wallet.
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

    /// Writes the family, nothing where no series has a value.
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
