import Wallet

/// The values of the reports page: each report's latest rows, and a link to the complete CSV file.
struct ReportsPage: Sendable {
    /// One report.
    struct Report: Sendable {
        let title: String
        let about: String
        /// The charts, each a complete `figure` element.
        let charts: [String]
        let table: Table
        let address: String
        let csv: String
    }

    let reports: [Report]

    private static let about = [
        "revenue": ("Revenue", "Sales and refunds by day at list prices; stores' shares and taxes are not subtracted."),
        "movements": (
            "Credits and visits", "Amounts granted, used, lapsed and refunded by day, updated every few minutes."
        ),
        "deferred_revenue": (
            "Deferred revenue",
            "Spendable amounts, rolled forward by month and product, in units and at list prices."
        ),
        "seats": ("Seats", "Sold and available seats of the classes of each day."),
        "breakage": ("Breakage", "Use, expiry and refunds of all granted amounts, by month of the grant."),
        "subscription_months": ("Subscriptions", "Starts, renewals, cancellations and expirations by month and plan."),
    ]

    init(_ visit: Visit) async throws {
        var reports: [Report] = []
        for list in [OperatorList.revenue, .deferredRevenue, .movements, .seats, .breakage, .subscriptionMonths] {
            let (title, about) = Self.about[list.name] ?? (list.name, "")
            let (rows, isCut) = try await Self.rows(of: list, visit)
            let path = "list/\(list.path)"
            reports.append(
                Report(
                    title: title,
                    about: about,
                    charts: Self.charts(of: list, rows, isCut: isCut),
                    table: Table(Array(rows.prefix(12)), list.columns.map(\.name), empty: "No data yet"),
                    address: WebAddress.page(path),
                    csv: WebAddress.page(path, ["format": "csv", "limit": "100"])
                )
            )
        }
        self.reports = reports
    }

    /// Returns the latest rows of a report, enough for a chart of several months.
    private static func rows(of list: OperatorList, _ visit: Visit) async throws -> (rows: [JSONValue], isCut: Bool) {
        var rows: [JSONValue] = []
        var cursor: String?
        for _ in 0..<4 {
            let answer = try await visit.interface.get(list.route, ["limit": "100", "cursor": cursor ?? ""])
            rows += answer[list.name]?.items ?? []
            cursor = answer["next_cursor"]?.text
            if cursor == nil { break }
        }
        return (rows, cursor != nil)
    }

    private static func charts(of list: OperatorList, _ rows: [JSONValue], isCut: Bool) -> [String] {
        switch list.name {
        case "revenue": RevenueCharts(rows, isCut: isCut).html
        case "movements": DailyCharts(movements: rows).html
        case "seats": DailyCharts(seats: rows).html
        default: []
        }
    }
}
