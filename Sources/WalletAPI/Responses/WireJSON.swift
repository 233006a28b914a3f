import Foundation
import Wallet

/// The one encoder and the one decoder of the API, so that dates look the same everywhere.
enum WireJSON {
    /// How an instant is written, in words.
    static let instantForm = "an RFC 3339 instant such as 2026-11-21T01:31:00Z"

    /// Writes RFC 3339 UTC instants with whole seconds and members in a stable order.
    static let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(Self.text(date))
        }
        return encoder
    }()

    /// Reads RFC 3339 instants with or without fractions, in any offset.
    static let decoder: JSONDecoder = {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            let text = try container.decode(String.self)
            if let date = Self.instant(text) { return date }
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: container.codingPath,
                    debugDescription: "not an RFC 3339 instant",
                    underlyingError: AllowedValues(Self.instantForm)
                )
            )
        }
        return decoder
    }()

    /// Writes one RFC 3339 instant in UTC, as Foundation's own style does; by itself, as every answer holds several.
    ///
    /// Cut to whole seconds, not rounded: an expiry must not be shown a second later than it is.
    static func text(_ date: Date) -> String {
        guard Self.range.contains(date) else {
            return Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down)).formatted(.iso8601)
        }
        let seconds = Int(date.timeIntervalSince1970.rounded(.down))
        let (days, second) = seconds.quotientAndRemainder(dividingBy: 86_400)
        // Counted from 1 March of the year 0, so that a leap day is the last of its year.
        let (era, dayOfEra) = (days + 719_468).quotientAndRemainder(dividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
        let parts = [year / 100, year % 100, month, dayOfYear - (153 * shifted + 2) / 5 + 1]
        let times = [second / 3_600, second / 60 % 60, second % 60]
        return String(unsafeUninitializedCapacity: 20) { bytes in
            var place = 0
            func put(_ number: Int, _ mark: String.UTF8View.Element?) {
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

    /// Years outside 1970 to 9999 are typing mistakes that later arithmetic would carry on.
    private static let range = Date(timeIntervalSince1970: 0)..<Date(timeIntervalSince1970: 253_402_300_800)

    /// Reads one RFC 3339 instant; nil for what is none.
    static func instant(_ text: String) -> Date? {
        guard text.utf8.count <= 40 else { return nil }
        for style in [Date.ISO8601FormatStyle(), Date.ISO8601FormatStyle(includingFractionalSeconds: true)] {
            guard let date = try? style.parse(text), Self.range.contains(date) else { continue }
            return date
        }
        return nil
    }
}
