import Stores

/// An instant as another system wrote it, to the microsecond.
public struct ImportInstant: Sendable, Hashable, Comparable, Encodable {
    /// Microseconds since 1970 in UTC.
    public let microseconds: Int64
    /// The instant in RFC 3339, in UTC.
    public let text: String

    /// Reads RFC 3339, also as PostgreSQL prints it: a space for the T, an offset of hours alone, or no offset, which is
    /// UTC.
    ///
    /// - Parameters:
    ///   - text: The instant, of 1970 or later.
    ///   - isZoneRequired: Whether to refuse an instant without an offset.
    public init?(_ text: String, isZoneRequired: Bool = false) {
        let form =
            #/(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d(?:\.\d{1,6})?)(?:([Zz])|([+-]\d\d)(?::?(\d\d))?)?/#
            .asciiOnlyDigits()
        guard let parts = text.wholeMatch(of: form)?.output, parts.1 >= "1970" else { return nil }
        let offset = parts.3.map(String.init) ?? parts.4.map { "\($0):\(parts.5 ?? "00")" }
        guard offset != nil || !isZoneRequired, let instant = RFC3339("\(parts.1)T\(parts.2)\(offset ?? "Z")") else {
            return nil
        }
        self.microseconds = instant.seconds * 1_000_000 + instant.nanoseconds / 1_000
        self.text = text.replacing(" ", with: "T") + (offset == nil ? "Z" : "")
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
}
