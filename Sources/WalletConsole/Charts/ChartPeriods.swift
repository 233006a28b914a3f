/// Daily figures, summed by week or month if there are too many days for bars.
struct ChartPeriods: Sendable {
    let labels: [String]
    let series: [ChartSeries]
    /// A note about the sums; nil if each bar is a day.
    let note: String?

    /// Keeps up to 120 days, sums up to 840 days by week, and sums more by month.
    ///
    /// A sum beyond Int64 stops at the limit, and the note mentions it.
    init(days: [ChartDay], series daily: [ChartSeries]) {
        guard days.count > 120 else {
            labels = days.map(\.text)
            series = daily
            note = nil
            return
        }
        let weekly = days.count <= 840
        var starts: [ChartDay] = []
        var places: [Int] = []
        for day in days {
            let start = weekly ? day.monday : day.firstOfMonth
            if starts.last != start { starts.append(start) }
            places.append(starts.count - 1)
        }
        var limited = false
        series = daily.map { one in
            var sums = [Int64](repeating: 0, count: starts.count)
            for (place, value) in zip(places, one.values) {
                let (sum, overflow) = sums[place].addingReportingOverflow(value)
                if overflow { limited = true }
                sums[place] = overflow ? (value < 0 ? .min : .max) : sum
            }
            return ChartSeries(name: one.name, values: sums)
        }
        labels = starts.map { weekly ? $0.text : String($0.text.dropLast(3)) }
        let said = weekly ? "Summed by week; each label is the Monday of the week." : "Summed by month."
        note = limited ? said + " Sums above the limit are shown as the limit." : said
    }
}
