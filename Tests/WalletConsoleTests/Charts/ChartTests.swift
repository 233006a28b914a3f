import Foundation
import JSON
import Testing
import Wallet

@testable import WalletConsole

#if canImport(FoundationXML)
    import FoundationXML
#endif

@Suite struct ChartTests {
    static let hostile = "</title><script>alert(1)</script>\"'&\u{0}"
    let frame = ChartFrame(id: "c", title: ChartTests.hostile, description: ChartTests.hostile)

    func bars(_ days: Int, _ value: Int64) -> StackedBarChart {
        let all = (0..<days).map { ChartDay(number: 20_000 + $0) }
        let values = [Int64](repeating: value, count: days)
        let series = [ChartSeries(name: Self.hostile, values: values), ChartSeries(name: "b", values: values)]
        return StackedBarChart(frame: frame, periods: ChartPeriods(days: all, series: series))
    }

    func check(_ html: String) {
        let parser = XMLParser(data: Data(html.utf8))
        #expect(parser.parse(), "\(String(describing: parser.parserError))")
        #expect(!html.contains("<script") && !html.contains("style=") && !html.contains("<style"))
    }

    @Test(arguments: [0, 1, 3, 400], [0, 5, -5, .max, .min] as [Int64])
    func `lines and horizontal bars are well-formed and contain no script`(count: Int, value: Int64) {
        let labels = (0..<count).map { "\(Self.hostile) \($0)" }
        let series = ChartSeries(name: Self.hostile, values: [Int64](repeating: value, count: count))
        check(LineChart(frame: frame, labels: labels, series: [series]).html)
        check(HorizontalBarChart(frame: frame, labels: labels, values: series).html)
    }

    @Test func `the days without figures are between the others, but not for centuries`() {
        let days = [12, 10].map { ChartDay(number: $0) }
        #expect(ChartDay.axis(days).map(\.number) == [10, 11, 12])
        #expect(ChartDay.axis(days + [ChartDay(number: 2_932_896)]).map(\.number) == [10, 12, 2_932_896])
        #expect(ChartDay.axis([]) == [])
    }

    @Test(arguments: [0, 1, 3, 120, 121, 400, 1000], [0, 5, -5, .max, .min] as [Int64])
    func `charts of any length and size are well-formed and contain no script`(days: Int, value: Int64) {
        check(bars(days, value).html)
    }

    @Test func `a chart without days shows that there is no data`() {
        #expect(bars(0, 1).html.contains("No data for this period."))
    }

    @Test func `integers are written exactly up to their limits`() {
        #expect(ChartText.number(.max) == "9,223,372,036,854,775,807")
        #expect(ChartText.number(.min) == "−9,223,372,036,854,775,808")
        #expect(bars(1, .max).html.contains("9,223,372,036,854,775,807</title>"))
    }

    @Test func `ticks are steps of one, two and five`() {
        #expect(ChartAxis(covering: [10]).ticks == [0, 2, 4, 6, 8, 10])
        #expect(ChartAxis(covering: [-30, 70]).ticks == [-20, 0, 20, 40, 60])
        #expect(ChartAxis(covering: [0]).ticks == [0, 1])
        #expect(ChartAxis(covering: [.min, .max]).ticks == [-5_000_000_000_000_000_000, 0, 5_000_000_000_000_000_000])
    }

    @Test func `more than 120 days are summed, and the chart shows this`() {
        #expect(bars(120, 1).periods.note == nil)
        #expect(bars(400, 1).html.contains("Summed by week"))
        #expect(bars(1000, 1).html.contains("Summed by month"))
        #expect(bars(400, 3).periods.series[0].values.reduce(0, +) == 1200)
    }

    @Test func `days have their dates, and Mondays are marked`() {
        #expect(ChartDay(number: 0).text == "1970-01-01")
        #expect(ChartDay(number: 19_782).text == "2024-02-29")
        #expect(ChartDay(number: 0).monday.text == "1969-12-29")
        for number in [-719_468, -1, 0, 1, 11_016, 19_782, 19_783, 2_932_896] {
            let day = ChartDay(number: number)
            guard day.text.count == 10 else { continue }
            #expect(ChartDay(text: day.text) == day, "\(day.text)")
        }
        for text in ["2026-02-29", "2026-13-01", "2026-1-1", "x", "", "2026-11-31"] {
            #expect(ChartDay(text: text) == nil, "\(text)")
        }
    }

    @Test func `revenue has a chart for each currency, and an incomplete day is omitted`() throws {
        let rows = try JSONDecoder().decode(
            [JSONValue].self,
            from: Data(
                """
                [{"day": "2026-11-23", "environment": "production", "currency": "EUR", "gross": "15.00",
                    "refunded": "5.00"},
                {"day": "2026-11-23", "environment": "sandbox", "currency": "USD", "gross": "0.77", "refunded": "0.00"},
                {"day": "2026-11-21", "environment": "production", "currency": "EUR", "gross": "12345.67",
                    "refunded": "0.00"},
                {"day": "2026-11-20", "environment": "production", "currency": "JPY", "gross": "9", "refunded": "0"}]
                """.utf8
            )
        )
        let whole = RevenueCharts(rows, isCut: false).html
        #expect(whole.count == 2)
        for html in whole { check(html) }
        #expect(whole[0].contains("2026-11-23, sold: 15.00</title>"))
        #expect(whole[0].contains("2026-11-23, refunded: −5.00</title>"))
        #expect(whole[0].contains("2026-11-21, sold: 12,345.67</title>"))
        #expect(whole[0].contains("<th scope=\"row\">2026-11-22</th><td>0.00</td><td>0.00</td>"))
        #expect(whole[1].contains("2026-11-20, sold: 9</title>"))
        #expect(RevenueCharts(rows, isCut: true).html.count == 1)
        #expect(RevenueCharts([], isCut: false).html.isEmpty)
    }
}
