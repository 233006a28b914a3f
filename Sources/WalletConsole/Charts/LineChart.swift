/// A chart with lines over time.
struct LineChart: Sendable {
    let frame: ChartFrame
    let labels: [String]
    let series: [ChartSeries]

    /// The figure with its drawing and its table.
    var html: String {
        let axis = ChartAxis(covering: series.flatMap(\.values))
        let lines = series.enumerated().map { line($1, number: $0 % 6 + 1, on: axis) }.joined()
        return frame.figure(
            drawing: ChartFrame.grid(axis) + lines + ChartFrame.axis(labels),
            labels: labels,
            series: series,
            note: nil
        )
    }

    private func line(_ one: ChartSeries, number: Int, on axis: ChartAxis) -> String {
        let slot = (ChartFrame.right - ChartFrame.left) / Double(max(labels.count, 1))
        let points = zip(labels.indices, one.values).map { index, value in
            (
                x: ChartText.point(ChartFrame.left + slot * (Double(index) + 0.5)),
                y: ChartText.point(ChartFrame.height(of: value, on: axis)),
                words: "\(labels[index]), \(one.name): \(ChartText.number(value))"
            )
        }
        let path = points.map { "\($0.x),\($0.y)" }.joined(separator: " ")
        let dots = points.map {
            "<circle class=\"chart-dot series-\(number)\" cx=\"\($0.x)\" cy=\"\($0.y)\""
                + " r=\"\(points.count > 40 ? 1 : 3)\">"
                + "<title>\(ChartText.escaped($0.words))</title></circle>"
        }
        return "<polyline class=\"chart-line series-\(number)\" points=\"\(path)\"/>" + dots.joined()
    }
}
