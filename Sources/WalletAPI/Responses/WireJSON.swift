import Foundation

/// The one encoder and the one decoder of the API, so that dates look the same everywhere.
enum WireJSON {
    /// Writes RFC 3339 UTC instants with whole seconds and members in a stable order.
    static let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            // Cut, not rounded: an expiry must not be shown a second later than it is.
            let seconds = date.timeIntervalSince1970.rounded(.down)
            try container.encode(Date(timeIntervalSince1970: seconds).formatted(.iso8601))
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
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not an RFC 3339 instant")
        }
        return decoder
    }()

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
