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

/// A day of the calendar, counted from 1970-01-01, without a time zone.
struct ChartDay: Sendable, Hashable {
    let number: Int

    /// The year, month and day of the proleptic Gregorian calendar.
    var civil: (year: Int, month: Int, day: Int) {
        // In this calculation, years begin in March, so that the leap day is the last day.
        let shifted = number + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let year = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * year + year / 4 - year / 100)
        let month = (5 * dayOfYear + 2) / 153
        let civilMonth = month < 10 ? month + 3 : month - 9
        return (year + era * 400 + (civilMonth <= 2 ? 1 : 0), civilMonth, dayOfYear - (153 * month + 2) / 5 + 1)
    }

    /// Creates a day from its number.
    init(number: Int) {
        self.number = number
    }

    /// Parses a day such as 2026-11-23; returns nil for an invalid text.
    init?(text: String) {
        let parts = text.split(separator: "-").compactMap { Int($0) }
        guard parts.count == 3, (1...12).contains(parts[1]), (1...31).contains(parts[2]) else { return nil }
        let year = parts[1] <= 2 ? parts[0] - 1 : parts[0]
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (parts[1] > 2 ? parts[1] - 3 : parts[1] + 9) + 2) / 5 + parts[2] - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        self.number = era * 146_097 + dayOfEra - 719_468
        guard self.text == text else { return nil }
    }

    /// Returns all days from the first to the last of the given days; if they are more than ten years apart, only the
    /// given ones, because a class with a wrong year must not make a page of a million days.
    static func axis(_ days: some Sequence<ChartDay>) -> [ChartDay] {
        let numbers = days.map(\.number).sorted()
        guard let first = numbers.first, let last = numbers.last, last - first <= 3_660 else {
            return numbers.map { ChartDay(number: $0) }
        }
        return (first...last).map { ChartDay(number: $0) }
    }

    /// The Monday on or before this day.
    var monday: ChartDay { ChartDay(number: number - (((number + 3) % 7) + 7) % 7) }

    /// The first day of this month.
    var firstOfMonth: ChartDay { ChartDay(number: number - civil.day + 1) }

    /// The day as 2026-11-23.
    var text: String {
        let (year, month, day) = civil
        return "\(year)-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)"
    }
}
