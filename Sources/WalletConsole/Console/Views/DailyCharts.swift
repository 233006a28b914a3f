import Foundation
import Wallet

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
        let (sold, capacity) = (days.series("sold"), days.series("capacity"))
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
struct DaySeries: Sendable {
    let days: [ChartDay]
    private let rows: [ChartDay: JSONValue]

    /// Sorts the rows by day; returns nil if there are none.
    init?(_ rows: [JSONValue]) {
        let pairs = rows.compactMap { row in row["day"]?.text.flatMap(ChartDay.init(text:)).map { ($0, row) } }
        self.rows = Dictionary(pairs) { first, _ in first }
        let numbers = self.rows.keys.map(\.number)
        guard let first = numbers.min(), let last = numbers.max() else { return nil }
        self.days = (first...last).map { ChartDay(number: $0) }
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
