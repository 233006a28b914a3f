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
        let answer = try await visit.interface.get(list.route, ["limit": "100"])
        self.invariants = Table(answer[list.name]?.items ?? [], list.columns.map(\.name), empty: "No invariants")
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
