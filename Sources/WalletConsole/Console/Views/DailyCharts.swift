import Foundation
import Wallet

/// What moved by day, as charts; one for each unit, since credits and visits do not add up.
struct DailyCharts: Sendable {
    let html: [String]

    /// Draws what was granted, used, lapsed and refunded, and what could be spent at the end of each day.
    ///
    /// - Parameter rows: Rows of the report of movements, the latest day first.
    init(movements rows: [JSONValue]) {
        let own = rows.filter { $0["environment"]?.text == "production" }
        self.html = ["credit", "visit"].flatMap { unit -> [String] in
            let days = DaySeries(own.filter { $0["unit"]?.text == unit })
            guard let days else { return [] }
            let moved = StackedBarChart(
                frame: ChartFrame(
                    id: "moved-\(unit)",
                    title: "Granted, used, lapsed and refunded by day, \(unit)s",
                    description: "Production. What leaves the wallets is below the line."
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
                    title: "Liability: \(unit)s that can be spent",
                    description: "Production, at the end of each day."
                ),
                labels: days.days.map(\.text),
                series: [days.lasting("outstanding")]
            )
            return [moved.html, outstanding.html]
        }
    }

    /// Draws how full the classes of each day are.
    ///
    /// - Parameter rows: Rows of the report of seats.
    init(seats rows: [JSONValue]) {
        guard let days = DaySeries(rows) else {
            self.html = []
            return
        }
        let (sold, capacity) = (days.series("sold"), days.series("capacity"))
        let left = ChartSeries(name: "left", values: zip(capacity.values, sold.values).map { max($0 - $1, 0) })
        self.html = [
            StackedBarChart(
                frame: ChartFrame(
                    id: "seats",
                    title: "Seats sold and left by day",
                    description: "By the day on which the classes begin; production wallets."
                ),
                periods: ChartPeriods(days: days.days, series: [sold, left])
            ).html
        ]
    }
}

/// Rows of a report with a row for each day, put in order, days without a row between them included.
struct DaySeries: Sendable {
    let days: [ChartDay]
    private let rows: [ChartDay: JSONValue]

    /// Puts rows in order; nil where there are none.
    init?(_ rows: [JSONValue]) {
        let pairs = rows.compactMap { row in row["day"]?.text.flatMap(ChartDay.init(text:)).map { ($0, row) } }
        self.rows = Dictionary(pairs) { first, _ in first }
        let numbers = self.rows.keys.map(\.number)
        guard let first = numbers.min(), let last = numbers.max() else { return nil }
        self.days = (first...last).map { ChartDay(number: $0) }
    }

    /// A member by day, 0 where a day has no row.
    func series(_ name: String, sign: Int64 = 1) -> ChartSeries {
        ChartSeries(name: name, values: self.days.map { sign * (self.value(name, on: $0) ?? 0) })
    }

    /// A member that stays as it was where a day has no row.
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
