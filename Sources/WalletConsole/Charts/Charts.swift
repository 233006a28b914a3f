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
            drawing: frame.grid(axis) + bars + ChartFrame.axis(periods.labels),
            labels: periods.labels,
            series: periods.series,
            note: periods.note
        )
    }

    private func end(of row: Int, upwards: Bool) -> Int64 {
        periods.series.compactMap { row < $0.values.count ? $0.values[row] : nil }
            .filter { upwards ? $0 > 0 : $0 < 0 }
            .reduce(0, Self.sum)
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
            let words = "\(periods.labels[row]), \(one.name): \(frame.number(value))"
            out +=
                "<rect class=\"chart-bar series-\(index % 6 + 1)\" x=\"\(ChartText.point(x))\""
                + " y=\"\(ChartText.point(edges[0]))\" width=\"\(ChartText.point(width))\""
                + " height=\"\(ChartText.point(edges[1] - edges[0]))\">"
                + "<title>\(ChartText.escaped(words))</title></rect>"
        }
        return out
    }

    /// Adds two values and stops at the limit of Int64.
    ///
    /// This affects only the height of a stack, not the displayed figures.
    private static func sum(_ one: Int64, _ other: Int64) -> Int64 {
        let (sum, overflow) = one.addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }
}

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
            drawing: frame.grid(axis) + lines + ChartFrame.axis(labels),
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
                words: "\(labels[index]), \(one.name): \(frame.number(value))"
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

/// A horizontal bar chart with one bar for each label.
struct HorizontalBarChart: Sendable {
    let frame: ChartFrame
    let labels: [String]
    let values: ChartSeries

    /// The figure with its drawing and its table.
    var html: String {
        let axis = ChartAxis(covering: values.values)
        let rows = labels.indices.map { row($0, on: axis) }.joined()
        return frame.figure(
            drawing: rows,
            labels: labels,
            series: [values],
            note: nil
        )
    }

    private func row(_ index: Int, on axis: ChartAxis) -> String {
        guard index < values.values.count else { return "" }
        let slot = (ChartFrame.bottom - ChartFrame.top) / Double(labels.count)
        let y = ChartFrame.top + slot * Double(index)
        let middle = ChartText.point(y + slot / 2)
        let short = labels[index].count > 24 ? labels[index].prefix(23) + "…" : labels[index][...]
        let number = frame.number(values.values[index])
        let name =
            "<text class=\"chart-tick chart-end\" x=\"144\" y=\"\(middle)\" dy=\"4\">"
            + "\(ChartText.escaped(String(short)))</text>"
        return name + bar(values.values[index], y, slot, "\(labels[index]): \(number)", axis)
            + "<text class=\"chart-value chart-end\" x=\"628\" y=\"\(middle)\" dy=\"4\">\(number)</text>"
    }

    private func bar(_ value: Int64, _ y: Double, _ slot: Double, _ words: String, _ axis: ChartAxis) -> String {
        // The last 110 units are reserved for the number.
        let span = ChartFrame.right - ChartFrame.left - 110
        let edges = [span * axis.fraction(0), span * axis.fraction(value)].sorted()
        return "<rect class=\"chart-bar series-1\" x=\"\(ChartText.point(ChartFrame.left + edges[0]))\""
            + " y=\"\(ChartText.point(y + slot * 0.15))\" width=\"\(ChartText.point(edges[1] - edges[0]))\""
            + " height=\"\(ChartText.point(slot * 0.7))\"><title>\(ChartText.escaped(words))</title></rect>"
    }
}
