import Wallet

/// The reports, each with its latest rows and the whole as CSV.
struct ReportsPage: Sendable {
    /// One report.
    struct Report: Sendable {
        let title: String
        let about: String
        /// Drawings, each a whole `figure`.
        let charts: [String]
        let table: Table
        let address: String
        let csv: String
    }

    let reports: [Report]

    private static let about = [
        "revenue": ("Revenue", "Sales and refunds by day at list prices; stores' shares and taxes are not subtracted."),
        "breakage": ("Breakage", "What became of all that was granted, by the month of the grant."),
        "subscription_months": ("Subscriptions", "How subscriptions come, stay and go, by month and plan."),
    ]

    init(_ visit: Visit) async throws {
        var reports: [Report] = []
        for list in [OperatorList.revenue, .breakage, .subscriptionMonths] {
            let (title, about) = Self.about[list.name] ?? (list.name, "")
            let answer = try await visit.interface.get(list.route, ["limit": "100"])
            let rows = answer[list.name]?.items ?? []
            let isCut = answer["next_cursor"]?.text != nil
            let path = "list/\(list.path)"
            reports.append(
                Report(
                    title: title,
                    about: about,
                    charts: list.name == "revenue" ? RevenueCharts(rows, isCut: isCut).html : [],
                    table: Table(Array(rows.prefix(12)), list.columns.map(\.name)),
                    address: WebAddress.page(path),
                    csv: WebAddress.page(path, ["format": "csv", "limit": "100"])
                )
            )
        }
        self.reports = reports
    }
}
