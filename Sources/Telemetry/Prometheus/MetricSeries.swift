/// One line of numbers: a family's values under one set of labels.
protocol MetricSeries: AnyObject, Sendable {
    /// Writes the series' samples.
    func write(_ name: String, labels: String, to text: inout String)
}
