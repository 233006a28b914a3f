public import Foundation

/// Any JSON value; numbers are exact.
public enum JSONValue: Codable, Sendable, Hashable {
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
    ///   ``JSONFlaw/maximumDepth``. The limit exists because each attempt to decode another kind of value takes time
    ///   proportional to the depth.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard container.codingPath.count <= JSONFlaw.maximumDepth else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "nested too deeply")
        }
        if container.decodeNil() {
            self = .null
        } else if let value = try Self.ifMatching({ try container.decode(String.self) }) {
            self = .text(value)
        } else if let value = try Self.ifMatching({ try container.decode(Bool.self) }) {
            self = .bool(value)
        } else if let value = try Self.ifMatching({ try container.decode(Decimal.self) }) {
            self = .number(value)
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

    private static func ifMatching<Value>(_ decode: () throws -> Value) throws -> Value? {
        do {
            return try decode()
        } catch DecodingError.typeMismatch {
            return nil
        }
    }
}

extension JSONValue {
    /// The value as JSON in UTF-8, with the members sorted by name, so that equal values have equal bytes.
    public var jsonData: Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(self) else {
            preconditionFailure("A JSON value is always one that can be written.")
        }
        return data
    }

    /// The value as JSON text, with the members sorted by name.
    public var jsonText: String { String(decoding: self.jsonData, as: UTF8.self) }

    /// The text; nil for another value.
    package var text: String? { if case .text(let text) = self { text } else { nil } }
    /// The number; nil for another value.
    package var number: Decimal? { if case .number(let number) = self { number } else { nil } }
    /// The list; empty for another value.
    package var items: [JSONValue] { if case .array(let items) = self { items } else { [] } }
    /// The members; nil for another value.
    package var members: [String: JSONValue]? { if case .object(let members) = self { members } else { nil } }
    /// A Boolean value that indicates whether this is the value `true`.
    package var isTrue: Bool { self == .bool(true) }

    /// Returns a member by its name.
    package subscript(_ name: String) -> JSONValue? { self.members?[name] }

    /// Returns a number.
    package static func integer(_ value: some BinaryInteger) -> JSONValue { .number(Decimal(Int64(value))) }
}

extension JSONValue: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Creates a number.
    public init(integerLiteral value: Int) { self = .number(Decimal(value)) }
    /// Creates a text.
    public init(stringLiteral value: String) { self = .text(value) }
    /// Creates true or false.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Creates a list.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// Creates an object; of members with the same name, the last one counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) { self = .object(Dictionary(elements) { $1 }) }
}
