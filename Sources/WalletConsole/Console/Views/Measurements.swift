/// An instance's metrics, parsed from Prometheus' text format.
struct Measurements: Sendable {
    /// One sample.
    struct Sample: Sendable {
        let labels: [String: String]
        let value: Double
    }

    private let samples: [String: [Sample]]

    /// Parses the samples; invalid lines are ignored.
    init(_ text: String) {
        var samples: [String: [Sample]] = [:]
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            guard let space = line.lastIndex(of: " "), let value = Double(line[line.index(after: space)...]) else {
                continue
            }
            let head = line[..<space]
            let name = head.prefix { $0 != "{" }
            samples[String(name), default: []].append(
                Sample(labels: Self.labels(head[name.endIndex...]), value: value)
            )
        }
        self.samples = samples
    }

    /// Returns the samples of a metric.
    func of(_ name: String) -> [Sample] { self.samples[name] ?? [] }

    /// Returns the sum of a metric over all labels; nil if the metric does not exist.
    func sum(of name: String) -> Double? {
        self.samples[name].map { $0.reduce(0) { $0 + $1.value } }
    }

    /// Returns the number of observations in each bucket of a histogram, summed over all other labels.
    func counts(of name: String) -> [(bound: Double, count: Int64)] {
        var totals: [Double: Double] = [:]
        for sample in self.of("\(name)_bucket") {
            guard let text = sample.labels["le"] else { continue }
            totals[text == "+Inf" ? .infinity : Double(text) ?? .infinity, default: 0] += sample.value
        }
        var before = 0.0
        return totals.sorted { $0.key < $1.key }.map { bound, total in
            defer { before = total }
            return (bound, Int64(total - before))
        }
    }

    /// Parses labels of the form `{name="value",…}`; a value may contain escaped quotes.
    private static func labels(_ text: Substring) -> [String: String] {
        var labels: [String: String] = [:]
        var rest = text.dropFirst()
        while let equals = rest.firstIndex(of: "="), rest.index(after: equals) < rest.endIndex {
            let name = String(rest[..<equals].drop { $0 == "," })
            var value = ""
            var isEscaped = false
            var end = rest.index(equals, offsetBy: 2, limitedBy: rest.endIndex) ?? rest.endIndex
            while end < rest.endIndex, isEscaped || rest[end] != "\"" {
                isEscaped = !isEscaped && rest[end] == "\\"
                if !isEscaped { value.append(rest[end]) }
                end = rest.index(after: end)
            }
            labels[name] = value
            rest = rest[end...].dropFirst()
        }
        return labels
    }
}
