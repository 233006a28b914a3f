public import Foundation

/// An instant in RFC 3339 format, `2026-11-21T01:31:00Z`: the only parser of external instants.
///
/// An invalid date or time is refused. Foundation's format styles would shift it: 29 February 2027 to 1 March, 25:00 to
/// the next day, and 10:61 to the next hour.
public struct RFC3339: Sendable, Hashable {
    /// Seconds since 1970 in UTC, rounded down.
    public let seconds: Int64
    /// Nanoseconds since that second.
    public let nanoseconds: Int64

    /// Parses an instant of the years 1 to 9999.
    ///
    /// - Parameter text: The instant with `Z` or an offset such as `+01:00`. The second may have a fraction of any
    ///   number of digits; digits after the ninth are dropped. The second 60 is refused, since the service's clocks
    ///   have no leap seconds.
    public init?(_ text: String) {
        var rest = Array(text.utf8)[...]
        guard
            let days = Self.days(&rest), Self.mark("Tt", &rest) != nil, let time = Self.time(&rest),
            let nanoseconds = Self.fraction(&rest), let offset = Self.offset(&rest), rest.isEmpty
        else { return nil }
        let seconds = days * 86_400 + time - offset
        guard Self.years.contains(seconds) else { return nil }
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    /// Creates the first instant of a day in UTC.
    ///
    /// - Parameter text: A valid day, such as `2026-11-21`.
    public init?(day text: String) {
        var rest = Array(text.utf8)[...]
        guard let days = Self.days(&rest), rest.isEmpty else { return nil }
        self.seconds = days * 86_400
        self.nanoseconds = 0
    }

    /// The instant as a date.
    public var date: Date { Date(timeIntervalSince1970: Double(self.seconds) + Double(self.nanoseconds) / 1e9) }

    /// The seconds of the years 1 to 9999.
    private static let years: Range<Int64> = -62_135_596_800..<253_402_300_800

    /// Parses a date such as `2026-11-21`.
    ///
    /// - Returns: The number of days since 1970; nil for an invalid date.
    private static func days(_ rest: inout ArraySlice<UInt8>) -> Int64? {
        guard
            let year = self.number(4, &rest), year >= 1, self.mark("-", &rest) != nil,
            let month = self.number(2, &rest), (1...12).contains(month), self.mark("-", &rest) != nil,
            let day = self.number(2, &rest), day >= 1
        else { return nil }
        let first = self.days(toMonth: month, of: year)
        let next = month == 12 ? self.days(toMonth: 1, of: year + 1) : self.days(toMonth: month + 1, of: year)
        return first + day <= next ? first + day - 1 : nil
    }

    /// Returns the number of days from 1970 to the first of a month; years start in March, so that a leap day comes
    /// last.
    private static func days(toMonth month: Int64, of year: Int64) -> Int64 {
        let years = month > 2 ? year : year - 1
        let months = month > 2 ? month - 3 : month + 9
        let leapDays = years / 4 - years / 100 + years / 400
        return years * 365 + leapDays + (153 * months + 2) / 5 - 719_468
    }

    /// Parses a time such as `01:31:00` as seconds.
    private static func time(_ rest: inout ArraySlice<UInt8>) -> Int64? {
        guard
            let hours = self.number(2, &rest), hours < 24, self.mark(":", &rest) != nil,
            let minutes = self.number(2, &rest), minutes < 60, self.mark(":", &rest) != nil,
            let seconds = self.number(2, &rest), seconds < 60
        else { return nil }
        return hours * 3_600 + minutes * 60 + seconds
    }

    /// Parses a fraction such as `.25` as nanoseconds; returns 0 if there is no fraction.
    private static func fraction(_ rest: inout ArraySlice<UInt8>) -> Int64? {
        guard self.mark(".", &rest) != nil else { return 0 }
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        guard !digits.isEmpty else { return nil }
        rest = rest.dropFirst(digits.count)
        let first = digits.prefix(9)
        let number = first.reduce(Int64(0)) { $0 * 10 + Int64($1) - 0x30 }
        return (first.count..<9).reduce(number) { number, _ in number * 10 }
    }

    /// Parses `Z` or an offset such as `+01:00` as seconds east of UTC.
    private static func offset(_ rest: inout ArraySlice<UInt8>) -> Int64? {
        if self.mark("Zz", &rest) != nil { return 0 }
        guard
            let sign = self.mark("+-", &rest),
            let hours = self.number(2, &rest), hours < 24, self.mark(":", &rest) != nil,
            let minutes = self.number(2, &rest), minutes < 60
        else { return nil }
        return (sign == UInt8(ascii: "-") ? -1 : 1) * (hours * 3_600 + minutes * 60)
    }

    /// Parses a number with exactly this many digits.
    private static func number(_ digits: Int, _ rest: inout ArraySlice<UInt8>) -> Int64? {
        let text = rest.prefix(digits)
        guard text.count == digits, text.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        rest = rest.dropFirst(digits)
        return text.reduce(0) { $0 * 10 + Int64($1) - 0x30 }
    }

    /// Parses one of these characters.
    private static func mark(_ marks: StaticString, _ rest: inout ArraySlice<UInt8>) -> UInt8? {
        guard let byte = rest.first else { return nil }
        guard marks.withUTF8Buffer({ $0.contains(byte) }) else { return nil }
        rest = rest.dropFirst()
        return byte
    }
}

extension RFC3339 {
    /// Returns an instant as text in UTC with whole seconds, in the format of Foundation's style.
    ///
    /// It is implemented here for speed, since every answer contains several instants.
    ///
    /// - Parameter seconds: Seconds since 1970, limited to the years 1 to 9999.
    /// - Returns: The text.
    public static func text(ofSeconds seconds: Int64) -> String {
        let seconds = min(max(seconds, Self.years.lowerBound), Self.years.upperBound - 1)
        // The day count starts at 1 March of the year 0, 719,468 days before 1970, so that no number is negative and a
        // leap day is the last day of its year. January of the year 1 belongs to the year 0.
        let (shiftedDays, second) = (seconds + 719_468 * 86_400).quotientAndRemainder(dividingBy: 86_400)
        let (era, dayOfEra) = shiftedDays.quotientAndRemainder(dividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
        let parts = [year / 100, year % 100, month, dayOfYear - (153 * shifted + 2) / 5 + 1]
        let times = [second / 3_600, second / 60 % 60, second % 60]
        return String(unsafeUninitializedCapacity: 20) { bytes in
            var place = 0
            func put(_ number: Int64, _ mark: UInt8?) {
                bytes[place] = UInt8(48 + number / 10)
                bytes[place + 1] = UInt8(48 + number % 10)
                place += 2
                guard let mark else { return }
                bytes[place] = mark
                place += 1
            }
            for (number, mark) in zip(parts, [nil, UInt8(ascii: "-"), UInt8(ascii: "-"), UInt8(ascii: "T")]) {
                put(number, mark)
            }
            for (number, mark) in zip(times, [UInt8(ascii: ":"), UInt8(ascii: ":"), UInt8(ascii: "Z")]) {
                put(number, mark)
            }
            return place
        }
    }
}

extension Date {
    /// The instant as RFC 3339 in UTC with milliseconds, rounded to the nearest millisecond.
    ///
    /// The milliseconds are computed as an integer: formatting a binary floating-point fraction truncates it, which
    /// loses one millisecond for half of all instants.
    var storeInstant: String {
        let (second, millisecond) = self.millisecondsSince1970.quotientAndRemainder(dividingBy: 1_000)
        let whole = millisecond < 0 ? second - 1 : second
        let fraction = millisecond < 0 ? millisecond + 1_000 : millisecond
        let digits = String(1_000 + fraction).dropFirst()
        return RFC3339.text(ofSeconds: whole).dropLast() + ".\(digits)Z"
    }

    /// Creates an instant from RFC 3339 text, to the millisecond; nil for other text and for an invalid date or time.
    init?(storeInstant text: String) {
        guard let instant = RFC3339(text) else { return nil }
        self.init(millisecondsSince1970: instant.seconds * 1_000 + instant.nanoseconds / 1_000_000)
    }

    /// Creates an instant from the stores' count of milliseconds since 1970.
    init(millisecondsSince1970 milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1_000)
    }

    /// Milliseconds since 1970, limited to the years 1 to 9999.
    ///
    /// Other instants cannot be formatted, and an instant computed from a store's numbers may be out of range.
    var millisecondsSince1970: Int64 {
        let milliseconds = (self.timeIntervalSince1970 * 1_000).rounded()
        return Int64(min(max(milliseconds, -62_135_596_800_000), 253_402_300_799_999))
    }
}
