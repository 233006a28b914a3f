/// A chart with stacked bars: positive values stack upwards from zero, negative values downwards.
struct StackedBarChart: Sendable {
    let frame: ChartFrame
    let periods: ChartPeriods

    /// The figure with its drawing and its table.
    var html: String {
        let rows = periods.labels.indices
        let ends = rows.flatMap { row in [end(of: row, upwards: true), end(of: row, upwards: false)] }
        let axis = ChartAxis(covering: ends)
        let bars = rows.map { bar($0, on: axis) }.joined()
        return frame.figure(
            drawing: ChartFrame.grid(axis) + bars + ChartFrame.axis(periods.labels),
            labels: periods.labels,
            series: periods.series,
            note: periods.note
        )
    }

    private func bar(_ row: Int, on axis: ChartAxis) -> String {
        let slot = (ChartFrame.right - ChartFrame.left) / Double(periods.labels.count)
        let width = min(slot * 0.8, 48)
        let x = ChartFrame.left + slot * (Double(row) + 0.5) - width / 2
        var up: Int64 = 0
        var down: Int64 = 0
        var out = ""
        for (index, one) in periods.series.enumerated() where row < one.values.count && one.values[row] != 0 {
            let value = one.values[row]
            let from = value > 0 ? up : down
            let to = Self.sum(from, value)
            if value > 0 { up = to } else { down = to }
            let edges = [ChartFrame.height(of: from, on: axis), ChartFrame.height(of: to, on: axis)].sorted()
            let words = "\(periods.labels[row]), \(one.name): \(ChartText.number(value))"
            out +=
                "<rect class=\"chart-bar series-\(index % 6 + 1)\" x=\"\(ChartText.point(x))\""
                + " y=\"\(ChartText.point(edges[0]))\" width=\"\(ChartText.point(width))\""
                + " height=\"\(ChartText.point(edges[1] - edges[0]))\">"
                + "<title>\(ChartText.escaped(words))</title></rect>"
        }
        return out
    }

    private func end(of row: Int, upwards: Bool) -> Int64 {
        periods.series.compactMap { row < $0.values.count ? $0.values[row] : nil }
            .filter { upwards ? $0 > 0 : $0 < 0 }
            .reduce(0, Self.sum)
    }

    /// Adds two values and stops at the limit of Int64.
    ///
    /// This affects only the height of a stack, not the displayed figures.
    private static func sum(_ one: Int64, _ other: Int64) -> Int64 {
        let (sum, overflow) = one.addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }
}
