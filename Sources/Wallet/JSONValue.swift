public import Foundation
import Stores

/// Any JSON value; numbers are exact.
public enum JSONValue: Codable, Sendable, Equatable {
    /// No value.
    case null
    /// True or false.
    case bool(Bool)
    /// A number, exact.
    case number(Decimal)
    /// A text.
    case text(String)
    /// A list.
    case array([JSONValue])
    /// Members by name.
    case object([String: JSONValue])

    /// Decodes any value.
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: `DecodingError` for values that cannot be decoded exactly, and for values nested more deeply than
    ///   `JSONDepth.maximum`. The limit exists because each attempt to decode another kind of value takes time
    ///   proportional to the depth.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard container.codingPath.count <= JSONDepth.maximum else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "nested too deeply")
        }
        if container.decodeNil() {
            self = .null
        } else if let value = try Self.ifMatching({ try container.decode(Bool.self) }) {
            self = .bool(value)
        } else if let value = try Self.ifMatching({ try container.decode(Decimal.self) }) {
            self = .number(value)
        } else if let value = try Self.ifMatching({ try container.decode(String.self) }) {
            self = .text(value)
        } else if let value = try Self.ifMatching({ try container.decode([JSONValue].self) }) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    /// Encodes the value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .text(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }

    /// The value as JSON text, with the members sorted by name.
    public var jsonText: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(self) else {
            preconditionFailure("A JSON value is always one that can be written.")
        }
        return String(decoding: data, as: UTF8.self)
    }

    private static func ifMatching<Value>(_ decode: () throws -> Value) throws -> Value? {
        do {
            return try decode()
        } catch DecodingError.typeMismatch {
            return nil
        }
    }
}

extension JSONValue: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByBooleanLiteral {
    /// Creates a number.
    public init(integerLiteral value: Int) { self = .number(Decimal(value)) }
    /// Creates a text.
    public init(stringLiteral value: String) { self = .text(value) }
    /// Creates true or false.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

/// Checks JSON before it is parsed and stored.
public enum StorableJSON {
    /// Returns whether any text in the JSON contains U+0000, as a byte or escaped; PostgreSQL cannot store it.
    ///
    /// - Parameter bytes: The JSON, which need not be well formed.
    /// - Returns: A Boolean value that indicates whether the JSON contains U+0000.
    public static func holdsNUL(_ bytes: some Sequence<UInt8>) -> Bool {
        // Contiguous bytes are checked in place, because iterating over another module's sequence takes many times as
        // long.
        bytes.withContiguousStorageIfAvailable(Self.holdsNUL(in:))
            ?? Array(bytes).withUnsafeBufferPointer(Self.holdsNUL(in:))
    }

    private static func holdsNUL(in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var place = 0
        while place < bytes.count {
            if bytes[place] == 0 { return true }
            guard bytes[place] == UInt8(ascii: "\\") else {
                place += 1
                continue
            }
            // `\\` and the other short escapes take two bytes; `\u` takes four digits more.
            let isLong = place + 1 < bytes.count && bytes[place + 1] == UInt8(ascii: "u")
            let end = min(place + (isLong ? 6 : 2), bytes.count)
            let escape = bytes[place..<end]
            if escape.contains(0) { return true }
            if isLong, escape.count == 6, escape.dropFirst(2).allSatisfy({ $0 == UInt8(ascii: "0") }) { return true }
            place = end
        }
        return false
    }
}
