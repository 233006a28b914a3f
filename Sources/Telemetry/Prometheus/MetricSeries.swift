import CoreMetrics
import Synchronization

/// A series: a family's values with one set of labels.
protocol MetricSeries: AnyObject, Sendable {
    /// Writes the series' samples.
    func write(_ name: String, labels: String, to text: inout String)
}

/// A number that only increases.
final class CounterSeries: MetricSeries, CounterHandler, FloatingPointCounterHandler {
    private let value = Mutex(0.0)

    func increment(by amount: Int64) {
        self.increment(by: Double(amount))
    }

    /// Adds an amount; ignores zero, negative amounts and NaN.
    func increment(by amount: Double) {
        guard amount > 0 else { return }
        self.value.withLock { $0 += amount }
    }

    func reset() {
        self.value.withLock { $0 = 0 }
    }

    func write(_ name: String, labels: String, to text: inout String) {
        let value = self.value.withLock { $0 }
        text += "\(PrometheusText.sample(name, labels)) \(PrometheusText.number(value))\n"
    }
}

/// A number that increases and decreases; it is not exported before it is first set.
final class GaugeSeries: MetricSeries, MeterHandler, RecorderHandler {
    private let value = Mutex<Double?>(nil)

    func set(_ value: Int64) { self.set(Double(value)) }
    func set(_ value: Double) { self.value.withLock { $0 = value } }
    func record(_ value: Int64) { self.set(Double(value)) }
    func record(_ value: Double) { self.set(value) }
    func increment(by amount: Double) { self.value.withLock { $0 = ($0 ?? 0) + amount } }
    func decrement(by amount: Double) { self.increment(by: -amount) }

    func write(_ name: String, labels: String, to text: inout String) {
        guard let value = self.value.withLock({ $0 }) else { return }
        text += "\(PrometheusText.sample(name, labels)) \(PrometheusText.number(value))\n"
    }
}

/// The distribution of values over buckets, and their sum.
final class HistogramSeries: MetricSeries, TimerHandler, RecorderHandler {
    private struct State {
        /// The count of each bucket; each value is in one bucket, and the last bucket has no bound.
        var counts: [UInt64]
        var sum = 0.0
    }

    private let bounds: [Double]
    private let state: Mutex<State>

    init(bounds: [Double]) {
        self.bounds = bounds
        self.state = Mutex(State(counts: Array(repeating: 0, count: bounds.count + 1)))
    }

    func recordNanoseconds(_ duration: Int64) { self.record(Double(duration) / 1_000_000_000) }
    func record(_ value: Int64) { self.record(Double(value)) }

    /// Records one value; ignores NaN.
    func record(_ value: Double) {
        guard !value.isNaN else { return }
        let bucket = self.bounds.firstIndex { value <= $0 } ?? self.bounds.count
        self.state.withLock { state in
            state.counts[bucket] += 1
            state.sum += value
        }
    }

    func write(_ name: String, labels: String, to text: inout String) {
        let state = self.state.withLock { $0 }
        var total: UInt64 = 0
        for (bound, count) in zip(self.bounds + [.infinity], state.counts) {
            total += count
            let le = "le=\"\(PrometheusText.number(bound))\""
            text += "\(PrometheusText.sample("\(name)_bucket", labels, and: le)) \(total)\n"
        }
        text += "\(PrometheusText.sample("\(name)_sum", labels)) \(PrometheusText.number(state.sum))\n"
        text += "\(PrometheusText.sample("\(name)_count", labels)) \(total)\n"
    }
}

/// The parts of Prometheus' text format, version 0.0.4.
enum PrometheusText {
    /// Returns the labels of a series for the braces, sorted by name.
    static func labels(_ dimensions: [(String, String)]) -> String {
        dimensions.sorted { $0.0 < $1.0 }
            .map { "\(self.labelName($0.0))=\"\(self.escaped($0.1, quotes: true))\"" }
            .joined(separator: ",")
    }

    /// Returns the part of a sample before its value: the name and the labels.
    static func sample(_ name: String, _ labels: String, and more: String = "") -> String {
        let all = labels.isEmpty || more.isEmpty ? labels + more : "\(labels),\(more)"
        return all.isEmpty ? name : "\(name){\(all)}"
    }

    /// Returns the lines with a family's help text and type.
    static func header(_ name: String, _ help: String, _ type: String) -> String {
        "# HELP \(name) \(self.escaped(help, quotes: false))\n# TYPE \(name) \(type)\n"
    }

    /// Returns a value in the text format.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
        // Integers have no fraction, as long as a Double represents them exactly.
        if value == value.rounded(), abs(value) < 9_007_199_254_740_992 { return String(Int64(value)) }
        return "\(value)"
    }

    /// Returns a valid label name; characters other than letters, digits and underscores become underscores.
    private static func labelName(_ name: String) -> String {
        let text = String(name.unicodeScalars.map { self.isNameScalar($0) ? Character($0) : "_" })
        return text.first?.isNumber ?? true ? "_\(text)" : text
    }

    private static func isNameScalar(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_": true
        default: false
        }
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quotes: escaped += "\\\""
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}
