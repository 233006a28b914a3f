import JSON
import Wallet

/// The values of the health page: the invariants, and this instance's metrics since its start.
struct HealthPage: Sendable {
    /// One figure with its name.
    struct Figure: Sendable {
        let label: String
        let value: String
    }

    let invariants: Table
    /// A stored property, because templates access only stored properties.
    let isMeasured: Bool
    let figures: [Figure]
    let charts: [String]

    private static let gauges = [
        ("wallet_booking_queue_depth", "Bookings and cancellations waiting for a batch"),
        ("http_server_active_requests", "Requests in progress"),
        ("db_client_connection_pending_requests", "Requests waiting for a database connection"),
        ("wallet_inbox_messages", "Store messages waiting"),
        ("wallet_outbox_pending", "Events queued for delivery"),
        ("wallet_outbox_dead", "Events given up"),
    ]

    init(_ visit: Visit, metrics: String?) async throws {
        let list = OperatorList.invariants
        let rows = try await visit.interface.rows(of: list, limit: 100).items
        self.invariants = Table(rows, list.columns.map(\.name), empty: "No invariants", in: visit.zone)
        self.isMeasured = metrics != nil
        let measured = Measurements(metrics ?? "")
        self.figures = Self.gauges.compactMap { name, label in
            measured.sum(of: name).map { Figure(label: label, value: ChartText.number(Int64($0))) }
        }
        self.charts = metrics == nil ? [] : [Self.latency(measured), Self.queue(measured), Self.refusals(measured)]
    }

    private static func latency(_ measured: Measurements) -> String {
        self.durations(
            of: "http_server_request_duration_seconds",
            ChartFrame(
                id: "latency",
                title: "Requests by response time",
                description: "All requests to this instance since its start."
            ),
            measured
        )
    }

    private static func queue(_ measured: Measurements) -> String {
        self.durations(
            of: "wallet_booking_queue_wait_seconds",
            ChartFrame(
                id: "queue",
                title: "Bookings by waiting time before their batch",
                description: "All bookings and cancellations of this instance since its start."
            ),
            measured
        )
    }

    private static func durations(of name: String, _ frame: ChartFrame, _ measured: Measurements) -> String {
        let counts = measured.counts(of: name)
        // Shows the range from the first to the last non-empty bucket.
        let filled = counts.indices.filter { counts[$0].count > 0 }
        let shown = filled.first.flatMap { first in filled.last.map { Array(counts[first...$0]) } } ?? []
        return HorizontalBarChart(
            frame: frame,
            labels: shown.map { $0.bound == .infinity ? "longer" : "up to \(Self.duration($0.bound))" },
            values: ChartSeries(name: "count", values: shown.map(\.count))
        ).html
    }

    private static func refusals(_ measured: Measurements) -> String {
        let slugs = measured.of("wallet_refusals_total").filter { $0.value > 0 }.sorted { $0.value > $1.value }.prefix(
            12
        )
        return HorizontalBarChart(
            frame: ChartFrame(
                id: "refusals",
                title: "Refusals by problem type",
                description: "Refused requests to this instance since its start; the twelve most frequent."
            ),
            labels: slugs.map { $0.labels["slug"] ?? "" },
            values: ChartSeries(name: "answers", values: slugs.map { Int64($0.value) })
        ).html
    }

    private static func duration(_ seconds: Double) -> String {
        switch seconds {
        case ..<0.001: "\(Self.number(seconds * 1_000_000)) µs"
        case ..<1: "\(Self.number(seconds * 1_000)) ms"
        default: "\(Self.number(seconds)) s"
        }
    }

    /// Formats a number with at most one decimal.
    private static func number(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}

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
