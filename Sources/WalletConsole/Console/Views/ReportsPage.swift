import Foundation
import JSON
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

    /// The number of rows in each table.
    private static let shown = 12
    /// The functions that draw the charts of a report, from its latest rows and whether more exist.
    private static let charts: [String: @Sendable (_ rows: [JSONValue], _ isCut: Bool) -> [String]] = [
        "revenue": { RevenueCharts($0, isCut: $1).html },
        "movements": { rows, _ in DailyCharts(movements: rows).html },
        "seats": { rows, _ in DailyCharts(seats: rows).html },
    ]

    private static let about = [
        "revenue_months": (
            "Revenue by month",
            "The totals of sales and refunds at list prices; stores' shares and taxes are not subtracted."
        ),
        "revenue": (
            "Revenue by day", "Sales and refunds by day at list prices; stores' shares and taxes are not subtracted."
        ),
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
        "attendance_by_class": ("Attendance", "Attended bookings and no-shows of each class that has begun."),
        "attendance_by_member": ("Members", "Attended bookings, no-shows, strikes and blocks of each member."),
    ]

    init(_ visit: Visit) async throws {
        var reports: [Report] = []
        let lists = [
            OperatorList.revenueMonths, .revenue, .deferredRevenue, .movements, .seats, .breakage, .subscriptionMonths,
            .attendanceByClass, .attendanceByMember,
        ]
        for list in lists {
            let (title, about) = Self.about[list.name] ?? (list.name, "")
            let draw = Self.charts[list.name]
            // Charts show several months.
            let (limit, parts) = draw == nil ? (Self.shown, 1) : (100, 4)
            let (rows, isCut) = try await Self.rows(of: list, limit: limit, parts: parts, visit)
            let path = "list/\(list.path)"
            reports.append(
                Report(
                    title: title,
                    about: about,
                    charts: draw?(rows, isCut) ?? [],
                    table: Table(
                        Array(rows.prefix(Self.shown)),
                        list.columns.map(\.name).filter { !$0.hasSuffix("_minor") },
                        empty: "No data yet",
                        in: visit.zone
                    ),
                    address: WebAddress.page(path),
                    csv: WebAddress.page(path, ["format": "csv", "limit": "100"])
                )
            )
        }
        self.reports = reports
    }

    /// Returns the latest rows of a report, read in up to `parts` parts, and whether more exist.
    private static func rows(
        of list: OperatorList,
        limit: Int,
        parts: Int,
        _ visit: Visit
    ) async throws -> (rows: [JSONValue], isCut: Bool) {
        var rows: [JSONValue] = []
        var cursor: String?
        for _ in 0..<parts {
            let part = try await visit.interface.rows(of: list, limit: limit, cursor: cursor)
            rows += part.items
            cursor = part.next
            if cursor == nil { break }
        }
        return (rows, cursor != nil)
    }
}

/// Charts of sales and refunds by day, one for each currency, because different currencies cannot be added.
struct RevenueCharts: Sendable {
    let html: [String]

    /// Draws the charts.
    ///
    /// - Parameters:
    ///   - rows: The rows of the report of revenue, the latest day first.
    ///   - isCut: A Boolean value that indicates whether more rows exist, so that the earliest day may be incomplete.
    init(_ rows: [JSONValue], isCut: Bool) {
        let earliest = rows.last?["day"]?.text
        let whole = rows.filter { row in
            row["environment"]?.text == "production" && !(isCut && row["day"]?.text == earliest)
        }
        let currencies = Set(whole.compactMap { $0["currency"]?.text }).sorted()
        self.html = currencies.map { currency in
            Self.chart(of: whole.filter { $0["currency"]?.text == currency }, in: currency)
        }
    }

    private static func chart(of rows: [JSONValue], in currency: String) -> String {
        var sums: [ChartDay: (sold: Int64, refunded: Int64)] = [:]
        // All amounts of a currency have the same number of decimals.
        let decimals = rows.first?["gross"]?.text?.split(separator: ".").dropFirst().first?.count ?? 0
        for row in rows {
            guard let day = row["day"]?.text.flatMap(ChartDay.init(text:)) else { continue }
            let sum = sums[day] ?? (0, 0)
            sums[day] = (
                sum.sold + Self.amount(row["gross"]), sum.refunded + Self.amount(row["refunded"])
            )
        }
        let days = ChartDay.axis(sums.keys)
        let series = [
            ChartSeries(name: "sold", values: days.map { sums[$0]?.sold ?? 0 }),
            ChartSeries(name: "refunded", values: days.map { -(sums[$0]?.refunded ?? 0) }),
        ]
        return StackedBarChart(
            frame: ChartFrame(
                id: "revenue-\(currency)",
                title: "Sold and refunded by day, \(currency)",
                description: "Production wallets, at list prices.",
                decimals: decimals
            ),
            periods: ChartPeriods(days: days, series: series)
        ).html
    }

    /// Returns an amount of money as a whole number of the currency's last decimal.
    private static func amount(_ value: JSONValue?) -> Int64 {
        Int64((value?.text ?? "").replacing(".", with: "")) ?? 0
    }
}

/// Charts of daily movements, one for each unit, because credits and visits cannot be added.
struct DailyCharts: Sendable {
    let html: [String]

    /// Draws the granted, used, lapsed and refunded amounts, and the spendable amount at the end of each day.
    ///
    /// - Parameter rows: The rows of the report of movements, the latest day first.
    init(movements rows: [JSONValue]) {
        let own = rows.filter { $0["environment"]?.text == "production" }
        self.html = ["credit", "visit"].flatMap { unit -> [String] in
            let days = DaySeries(own.filter { $0["unit"]?.text == unit })
            guard let days else { return [] }
            let moved = StackedBarChart(
                frame: ChartFrame(
                    id: "moved-\(unit)",
                    title: "Granted, used, lapsed and refunded by day, \(unit)s",
                    description: "Production wallets. Amounts that leave the wallets are below the zero line."
                ),
                periods: ChartPeriods(
                    days: days.days,
                    series: [
                        days.series("granted"), days.series("used", sign: -1), days.series("lapsed", sign: -1),
                        days.series("refunded", sign: -1),
                    ]
                )
            )
            let outstanding = LineChart(
                frame: ChartFrame(
                    id: "outstanding-\(unit)",
                    title: "Liability: spendable \(unit)s",
                    description: "Production wallets, at the end of each day."
                ),
                labels: days.days.map(\.text),
                series: [days.lasting("outstanding")]
            )
            return [moved.html, outstanding.html]
        }
    }

    /// Draws the sold and free seats of each day's classes.
    ///
    /// - Parameter rows: The rows of the report of seats.
    init(seats rows: [JSONValue]) {
        guard let days = DaySeries(rows) else {
            self.html = []
            return
        }
        let (sold, capacity) = (days.series("seats_sold"), days.series("capacity"))
        let left = ChartSeries(name: "left", values: zip(capacity.values, sold.values).map { max($0 - $1, 0) })
        self.html = [
            StackedBarChart(
                frame: ChartFrame(
                    id: "seats",
                    title: "Seats sold and left by day",
                    description: "By the day on which the classes start, for production wallets."
                ),
                periods: ChartPeriods(days: days.days, series: [sold, left])
            ).html
        ]
    }
}

/// The rows of a daily report in order, including the days without a row between them.
private struct DaySeries: Sendable {
    let days: [ChartDay]
    private let rows: [ChartDay: JSONValue]

    /// Sorts the rows by day; returns nil if there are none.
    init?(_ rows: [JSONValue]) {
        let pairs = rows.compactMap { row in row["day"]?.text.flatMap(ChartDay.init(text:)).map { ($0, row) } }
        self.rows = Dictionary(pairs) { first, _ in first }
        guard !self.rows.isEmpty else { return nil }
        self.days = ChartDay.axis(self.rows.keys)
    }

    /// Returns the values of a member by day; 0 for a day without a row.
    func series(_ name: String, sign: Int64 = 1) -> ChartSeries {
        ChartSeries(name: name, values: self.days.map { sign * (self.value(name, on: $0) ?? 0) })
    }

    /// Returns the values of a member by day; a day without a row keeps the previous value.
    func lasting(_ name: String) -> ChartSeries {
        var last: Int64 = 0
        return ChartSeries(
            name: name,
            values: self.days.map { day in
                last = self.value(name, on: day) ?? last
                return last
            }
        )
    }

    private func value(_ name: String, on day: ChartDay) -> Int64? {
        self.rows[day]?[name]?.number.map { ($0 as NSDecimalNumber).int64Value }
    }
}
