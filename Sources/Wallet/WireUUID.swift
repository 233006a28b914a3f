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
    ///
    /// - Parameter encoder: The encoder to write to.
    /// - Throws: Any error that the encoder throws.
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
}
