/// The parts that all charts share: the svg element with its title and description, the legend and the table of
/// figures.
struct ChartFrame: Sendable {
    /// A unique identifier in the page, of letters, digits and hyphens.
    let id: String
    let title: String
    let description: String
    /// The number of decimals; values are whole numbers of the last decimal.
    var decimals = 0

    static let width = 640.0
    static let height = 260.0
    static let left = 150.0
    static let right = 630.0
    static let top = 12.0
    static let bottom = 230.0

    /// Combines a drawing with its title, legend, note and table.
    func figure(drawing: String, labels: [String], series: [ChartSeries], note: String?) -> String {
        let name = ChartText.escaped(id)
        let head = "<figure class=\"chart\"><figcaption>\(ChartText.escaped(title))</figcaption>"
        guard !labels.isEmpty, !series.isEmpty else {
            return head + "<p class=\"chart-empty\">No data for this period.</p></figure>"
        }
        let said = [description, note].compactMap(\.self).joined(separator: " ")
        let svg =
            "<svg class=\"chart-svg\" role=\"img\" viewBox=\"0 0 640 260\""
            + " aria-labelledby=\"\(name)-title \(name)-desc\">"
            + "<title id=\"\(name)-title\">\(ChartText.escaped(title))</title>"
            + "<desc id=\"\(name)-desc\">\(ChartText.escaped(said))</desc>\(drawing)</svg>"
        let noted = note.map { "<p class=\"chart-note\">\(ChartText.escaped($0))</p>" } ?? ""
        return head + svg + legend(series) + noted + table(labels, series) + "</figure>"
    }

    private func legend(_ series: [ChartSeries]) -> String {
        let items = series.enumerated().map { index, one in
            "<li><svg class=\"chart-key\" viewBox=\"0 0 24 8\" aria-hidden=\"true\">"
                + "<line class=\"chart-line series-\(index % 6 + 1)\" x1=\"0\" x2=\"24\" y1=\"4\" y2=\"4\"/></svg>"
                + "\(ChartText.escaped(one.name))</li>"
        }
        return "<ol class=\"chart-legend\">\(items.joined())</ol>"
    }

    private func table(_ labels: [String], _ series: [ChartSeries]) -> String {
        let heads = series.map { "<th scope=\"col\">\(ChartText.escaped($0.name))</th>" }.joined()
        let rows = labels.indices.map { row in
            "<tr><th scope=\"row\">\(ChartText.escaped(labels[row]))</th>"
                + series.map { "<td>\(row < $0.values.count ? number($0.values[row]) : "")</td>" }.joined()
                + "</tr>"
        }
        return "<details class=\"chart-figures\"><summary>Figures</summary>"
            + "<table><thead><tr><td></td>\(heads)</tr></thead>"
            + "<tbody>\(rows.joined())</tbody></table></details>"
    }

    /// Draws the value axis with a line and a label for each tick.
    func grid(_ axis: ChartAxis) -> String {
        axis.ticks.map { tick in
            let y = ChartText.point(Self.height(of: tick, on: axis))
            let kind = tick == 0 ? "chart-zero" : "chart-grid"
            return "<line class=\"\(kind)\" x1=\"150\" x2=\"630\" y1=\"\(y)\" y2=\"\(y)\"/>"
                + "<text class=\"chart-tick chart-end\" x=\"144\" y=\"\(y)\" dy=\"4\">\(number(tick))</text>"
        }.joined()
    }

    /// Draws the labels under the chart, at most six of them.
    static func axis(_ labels: [String]) -> String {
        let every = max(1, (labels.count + 5) / 6)
        return stride(from: 0, to: labels.count, by: every).map { index in
            let x = left + (right - left) * (Double(index) + 0.5) / Double(labels.count)
            return "<text class=\"chart-tick chart-middle\" x=\"\(ChartText.point(x))\" y=\"250\">"
                + "\(ChartText.escaped(labels[index]))</text>"
        }.joined()
    }

    /// Formats a value with the decimals of the chart.
    func number(_ value: Int64) -> String { ChartText.number(value, decimals: decimals) }

    static func height(of value: Int64, on axis: ChartAxis) -> Double {
        bottom - (bottom - top) * axis.fraction(value)
    }
}

/// A named series of whole numbers, with one value for each label of its chart.
struct ChartSeries: Sendable {
    let name: String
    let values: [Int64]
}

/// The range of a value axis and its ticks, at steps of 1, 2 or 5 times a power of ten.
struct ChartAxis: Sendable {
    let low: Int64
    let high: Int64
    let ticks: [Int64]

    /// Creates an axis that covers the values and zero with about five ticks.
    init(covering values: [Int64]) {
        low = min(values.min() ?? 0, 0)
        let top = max(values.max() ?? 0, 0)
        high = low == 0 && top == 0 ? 1 : top
        let span = UInt64(bitPattern: high &- low)
        let step = Self.step(for: span)
        // Ticks go up and down from zero and stop before Int64 overflows.
        var found: [Int64] = [0]
        var tick: Int64 = 0
        while case (let next, let overflow) = tick.addingReportingOverflow(step), !overflow, next <= high {
            found.append(next)
            tick = next
        }
        tick = 0
        while case (let next, let overflow) = tick.subtractingReportingOverflow(step), !overflow, next >= low {
            found.insert(next, at: 0)
            tick = next
        }
        ticks = found
    }

    /// Returns the position of a value between 0 (the low end) and 1 (the high end).
    func fraction(_ value: Int64) -> Double {
        // Only the position on the screen is a Double; labels show the exact integer.
        (Double(value) - Double(low)) / (Double(high) - Double(low))
    }

    private static func step(for span: UInt64) -> Int64 {
        var power: UInt64 = 1
        while true {
            for factor: UInt64 in [1, 2, 5] where span / (power * factor) <= 5 {
                return Int64(power * factor)
            }
            power *= 10
        }
    }
}

/// Formats names and numbers for the text of a chart.
enum ChartText {
    /// Escapes XML markup and removes the control characters that XML 1.0 does not allow.
    static func escaped(_ text: String) -> String {
        var out = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": out += "&amp;"
            case "<": out += "&lt;"
            case ">": out += "&gt;"
            case "\"": out += "&quot;"
            case "'": out += "&#39;"
            case "\t", "\n", "\r": out += " "
            default:
                if scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF { continue }
                out.unicodeScalars.append(scalar)
            }
        }
        return out
    }

    /// Formats a whole number with all digits, in groups of three; the last digits may be decimals.
    static func number(_ value: Int64, decimals: Int = 0) -> String {
        let plain = String(value.magnitude)
        let digits = Array(String(repeating: "0", count: max(decimals + 1 - plain.count, 0)) + plain)
        let whole = digits.dropLast(decimals)
        var out = value < 0 ? "−" : ""
        for (index, digit) in whole.enumerated() {
            if index > 0, (whole.count - index) % 3 == 0 { out += "," }
            out.append(digit)
        }
        return decimals > 0 ? out + "." + String(digits.suffix(decimals)) : out
    }

    /// Formats a coordinate with at most one decimal, independent of the locale.
    static func point(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        let sign = tenths < 0 ? "-" : ""
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(sign)\(abs(tenths) / 10).\(abs(tenths) % 10)"
    }
}
