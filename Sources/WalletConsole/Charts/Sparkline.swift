/// A line the size of a word, with its meaning in words.
struct Sparkline: Sendable {
    /// An identifier that is unique in the page, of letters, digits and hyphens.
    let id: String
    let title: String
    let values: [Int64]

    /// The drawing, or words where there is nothing to draw.
    var html: String {
        guard let first = values.first, let last = values.last else {
            return "<span class=\"chart-empty\">Nothing in this time.</span>"
        }
        let axis = ChartAxis(covering: values)
        let step = 116 / Double(max(values.count - 1, 1))
        let points = values.enumerated().map { index, value in
            "\(ChartText.point(2 + step * Double(index))),\(ChartText.point(22 - 20 * axis.fraction(value)))"
        }
        let end = points[points.count - 1].split(separator: ",")
        let name = ChartText.escaped(id)
        return "<svg class=\"chart-spark\" role=\"img\" viewBox=\"0 0 120 24\""
            + " aria-labelledby=\"\(name)-title \(name)-desc\">"
            + "<title id=\"\(name)-title\">\(ChartText.escaped(title))</title>"
            + "<desc id=\"\(name)-desc\">From \(ChartText.number(first)) to \(ChartText.number(last)).</desc>"
            + "<polyline class=\"chart-line series-1\" points=\"\(points.joined(separator: " "))\"/>"
            + "<circle class=\"chart-dot series-1\" cx=\"\(end[0])\" cy=\"\(end[1])\" r=\"2\"/></svg>"
    }
}
