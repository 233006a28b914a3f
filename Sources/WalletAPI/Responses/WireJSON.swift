import Foundation
import Stores
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

    /// Writes one RFC 3339 instant in UTC.
    ///
    /// Cut to whole seconds, not rounded: an expiry must not be shown a second later than it is.
    static func text(_ date: Date) -> String {
        guard Self.range.contains(date) else {
            return Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down)).formatted(.iso8601)
        }
        return RFC3339.text(ofSeconds: Int64(date.timeIntervalSince1970.rounded(.down)))
    }

    /// Years outside 1970 to 9999 are typing mistakes that later arithmetic would carry on.
    private static let range = Date(timeIntervalSince1970: 0)..<Date(timeIntervalSince1970: 253_402_300_800)

    /// Reads one RFC 3339 instant; nil for what is none, and for one that does not exist.
    static func instant(_ text: String) -> Date? {
        guard text.utf8.count <= 40, let date = RFC3339(text)?.date, Self.range.contains(date) else { return nil }
        return date
    }
}
