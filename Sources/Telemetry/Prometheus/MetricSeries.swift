/// A series: a family's values with one set of labels.
protocol MetricSeries: AnyObject, Sendable {
    /// Writes the series' samples.
    func write(_ name: String, labels: String, to text: inout String)
}
