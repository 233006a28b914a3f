import Foundation
import Wallet

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
        for row in rows {
            guard let day = row["day"]?.text.flatMap(ChartDay.init(text:)) else { continue }
            let sum = sums[day] ?? (0, 0)
            sums[day] = (
                sum.sold + Self.amount(row["gross_minor"]), sum.refunded + Self.amount(row["refunded_minor"])
            )
        }
        let numbers = sums.keys.map(\.number)
        let days = ((numbers.min() ?? 0)...(numbers.max() ?? 0)).map { ChartDay(number: $0) }
        let series = [
            ChartSeries(name: "sold", values: days.map { sums[$0]?.sold ?? 0 }),
            ChartSeries(name: "refunded", values: days.map { -(sums[$0]?.refunded ?? 0) }),
        ]
        return StackedBarChart(
            frame: ChartFrame(
                id: "revenue-\(currency)",
                title: "Sold and refunded by day, \(currency)",
                description: "Production wallets, at list prices, in the currency's minor unit."
            ),
            periods: ChartPeriods(days: days, series: series)
        ).html
    }

    private static func amount(_ value: JSONValue?) -> Int64 {
        ((value?.number ?? 0) as NSDecimalNumber).int64Value
    }
}
