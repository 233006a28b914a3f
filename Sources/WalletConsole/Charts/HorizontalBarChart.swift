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
        let number = ChartText.number(values.values[index])
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
