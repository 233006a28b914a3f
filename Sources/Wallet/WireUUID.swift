public import Foundation

/// A property wrapper that encodes a UUID in lower case, as RFC 9562 requires and PostgreSQL does; Foundation writes
/// upper case.
@propertyWrapper
public struct WireUUID: Codable, Sendable, Equatable {
    /// The id.
    public var wrappedValue: UUID

    /// Creates a wrapper for an id.
    public init(wrappedValue: UUID) {
        self.wrappedValue = wrappedValue
    }

    /// Decodes an id in either case.
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: `DecodingError` for a text that is not a UUID.
    public init(from decoder: any Decoder) throws {
        self.wrappedValue = try decoder.singleValueContainer().decode(UUID.self)
    }

    /// Encodes the id in lower case.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self.wrappedValue.wireText)
    }
}

extension UUID {
    /// The id in lower case; computed here because every answer contains several ids and Foundation uses `snprintf`.
    public var wireText: String {
        String(unsafeUninitializedCapacity: 36) { text in
            var place = 0
            func put(_ digit: UInt8) {
                text[place] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
                place += 1
            }
            withUnsafeBytes(of: self.uuid) { bytes in
                for (index, byte) in bytes.enumerated() {
                    if index == 4 || index == 6 || index == 8 || index == 10 {
                        text[place] = UInt8(ascii: "-")
                        place += 1
                    }
                    put(byte >> 4)
                    put(byte & 0x0F)
                }
            }
            return place
        }
    }

    /// Creates a UUID of version 4; unlike Foundation, this opens no file for each UUID.
    ///
    /// - Returns: The id.
    public static func random() -> UUID {
        Self.make(version: 4) { _ in }
    }

    /// Creates a UUID of version 7, so that ids sort by time: 48 bits of milliseconds, 12 bits of the millisecond's
    /// fraction (RFC 9562, section 6.2, method 3), then random bits.
    ///
    /// - Returns: The id.
    public static func timeOrdered() -> UUID {
        let microseconds = UInt64(Date().timeIntervalSince1970 * 1_000_000)
        let time = (microseconds / 1_000) << 16 | microseconds % 1_000 * 4_096 / 1_000
        return Self.make(version: 7) { $0.storeBytes(of: time.bigEndian, as: UInt64.self) }
    }

    /// Creates random bytes, lets a closure replace some of them, and sets version and variant.
    private static func make(version: UInt8, _ change: (UnsafeMutableRawBufferPointer) -> Void) -> UUID {
        var generator = SystemRandomNumberGenerator()
        var bytes = (generator.next(), generator.next())
        withUnsafeMutableBytes(of: &bytes) { raw in
            change(raw)
            raw[6] = (raw[6] & 0x0F) | version << 4
            raw[8] = (raw[8] & 0x3F) | 0x80
        }
        return UUID(uuid: unsafeBitCast(bytes, to: uuid_t.self))
    }
}
