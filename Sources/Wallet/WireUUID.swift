public import Foundation

/// Writes a UUID in lower case, as RFC 9562 asks and as PostgreSQL does; Foundation writes upper case.
@propertyWrapper
public struct WireUUID: Codable, Sendable, Equatable {
    /// The id.
    public var wrappedValue: UUID

    /// Wraps an id.
    public init(wrappedValue: UUID) {
        self.wrappedValue = wrappedValue
    }

    /// Reads an id in either case.
    ///
    /// - Parameter decoder: Where to read from.
    /// - Throws: `DecodingError` for a text that is no UUID.
    public init(from decoder: any Decoder) throws {
        self.wrappedValue = try decoder.singleValueContainer().decode(UUID.self)
    }

    /// Writes the id in lower case.
    ///
    /// - Parameter encoder: Where to write.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self.wrappedValue.uuidString.lowercased())
    }
}
