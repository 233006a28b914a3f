/// A random instant in RFC 3339 format; about half of them do not exist.
public struct FuzzInstant: Sendable {
    private static let daysOfMonths: [Int] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

    /// The text of the instant.
    public let text: String
    /// A Boolean value that indicates whether the instant exists, from 1970 to 9999.
    public let exists: Bool
    /// The seconds since 1970, without the fraction, if the instant exists.
    public let seconds: Int

    /// Creates a random instant.
    public init(_ random: inout FuzzRandom) {
        let year = random.chance(10) ? random.pick([1, 999, 1970, 9999]) : 1970 + random.below(8_030)
        let month = random.chance(10) ? random.pick([0, 13, 99]) : 1 + random.below(12)
        let day = random.chance(40) ? random.pick([0, 28, 29, 30, 31, 32]) : 1 + random.below(28)
        let hour = random.chance(10) ? random.pick([23, 24, 25, 99]) : random.below(24)
        let minute = random.chance(10) ? random.pick([59, 60, 61]) : random.below(60)
        let second = random.chance(10) ? random.pick([59, 60, 61]) : random.below(60)
        let zone = random.chance(50) ? nil : (hours: random.below(27), minutes: random.below(64))
        let isEast = random.chance(50)
        let fraction = random.chance(70) ? "" : "." + String(random.below(1_000_000_000))

        func digits(_ number: Int, _ count: Int = 2) -> String {
            String(repeating: "0", count: max(0, count - String(number).count)) + String(number)
        }
        let offset = zone.map { "\(isEast ? "+" : "-")\(digits($0.hours)):\(digits($0.minutes))" } ?? "Z"
        self.text =
            "\(digits(year, 4))-\(digits(month))-\(digits(day))T\(digits(hour)):\(digits(minute)):\(digits(second))"
            + fraction + offset
        let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        guard (1...12).contains(month), day >= 1,
            day <= Self.daysOfMonths[month - 1] + (month == 2 && isLeap ? 1 : 0),
            hour < 24, minute < 60, second < 60, zone?.hours ?? 0 < 24, zone?.minutes ?? 0 < 60
        else {
            self.exists = false
            self.seconds = 0
            return
        }
        // Counts days and leap years directly, unlike the parsers under test.
        let leapYears = (1..<year).count { $0.isMultiple(of: 4) && (!$0.isMultiple(of: 100) || $0.isMultiple(of: 400)) }
        let leapDay = month > 2 && isLeap ? 1 : 0
        let days = (year - 1) * 365 + leapYears + Self.daysOfMonths[..<(month - 1)].reduce(0, +) + leapDay + day - 1
        let east = (zone.map { $0.hours * 3_600 + $0.minutes * 60 } ?? 0) * (isEast ? 1 : -1)
        self.seconds = (days - 719_162) * 86_400 + hour * 3_600 + minute * 60 + second - east
        self.exists = (0..<253_402_300_800).contains(self.seconds)
    }
}
