/// An instant as another system wrote it, to the microsecond.
public struct ImportInstant: Sendable, Hashable, Comparable, Encodable {
    /// Microseconds since 1970 in UTC.
    public let microseconds: Int64
    /// The instant in RFC 3339, in UTC.
    public let text: String

    /// Reads RFC 3339, also as PostgreSQL prints it: a space for the T, an offset of hours alone, or no offset, which is
    /// UTC.
    ///
    /// - Parameter text: The instant, of 1970 or later.
    public init?(_ text: String) {
        let form =
            #/(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?([Zz]|[+-]\d\d(?::?\d\d)?)?/#
            .asciiOnlyDigits()
        guard let parts = text.wholeMatch(of: form)?.output else { return nil }
        let time = [parts.4, parts.5, parts.6].compactMap { Int64($0) }
        guard
            let days = Self.days(parts.1, parts.2, parts.3), time[0] < 24, time[1] < 60, time[2] < 60,
            let offset = Self.offset(parts.8 ?? "Z")
        else { return nil }
        let fraction = parts.7.map(String.init) ?? ""
        let padded = fraction + String(repeating: "0", count: 6 - fraction.count)
        let seconds = days * 86_400 + time[0] * 3_600 + time[1] * 60 + time[2] - offset
        self.microseconds = seconds * 1_000_000 + (Int64(padded) ?? 0)
        self.text = text.replacing(" ", with: "T") + (parts.8 == nil ? "Z" : "")
    }

    /// Compares the instants.
    public static func < (one: Self, other: Self) -> Bool { one.microseconds < other.microseconds }

    /// Whether they are the same instant, however it was written.
    public static func == (one: Self, other: Self) -> Bool { one.microseconds == other.microseconds }

    /// Hashes the instant, however it was written.
    ///
    /// - Parameter hasher: The hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(self.microseconds) }

    /// Writes the text.
    ///
    /// - Parameter encoder: Where to write.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self.text)
    }

    /// Seconds east of UTC.
    private static func offset(_ text: Substring) -> Int64? {
        let digits = text.filter(\.isNumber)
        guard let hours = Int64(digits.prefix(2).isEmpty ? "0" : digits.prefix(2)), hours < 24 else { return nil }
        guard let minutes = Int64(digits.count > 2 ? digits.dropFirst(2) : "0"), minutes < 60 else { return nil }
        return (text.hasPrefix("-") ? -1 : 1) * (hours * 3_600 + minutes * 60)
    }

    /// Days from 1970 to a day that the calendar has.
    private static func days(_ yearText: Substring, _ monthText: Substring, _ dayText: Substring) -> Int64? {
        guard let year = Int64(yearText), let month = Int64(monthText), let day = Int64(dayText) else { return nil }
        guard year >= 1970, (1...12).contains(month), day >= 1 else { return nil }
        let first = Self.days(toMonth: month, of: year)
        let next = month == 12 ? Self.days(toMonth: 1, of: year + 1) : Self.days(toMonth: month + 1, of: year)
        return first + day <= next ? first + day - 1 : nil
    }

    /// Days from 1970 to the first of a month; years are counted from March, so that a leap day comes last.
    private static func days(toMonth month: Int64, of year: Int64) -> Int64 {
        let years: Int64 = month > 2 ? year : year - 1
        let months: Int64 = month > 2 ? month - 3 : month + 9
        let leapDays: Int64 = years / 4 - years / 100 + years / 400
        return years * 365 + leapDays + (153 * months + 2) / 5 - 719_468
    }
}
