import Foundation

extension String: PostgresScalar {
    /// `text`.
    public static var postgresOID: OID { .text }
    /// `text[]`.
    public static var postgresArrayOID: OID { .textArray }

    /// Returns the UTF-8 bytes; the server refuses a NUL among them with 22021.
    public func postgresBytes() -> [UInt8]? { Array(self.utf8) }

    /// Reads text of any kind: `text`, `varchar`, `name`, an enum's label, or unparsed JSON.
    ///
    /// - Parameter cell: The value that the server sent.
    /// - Throws: ``PostgresError`` with code `decoding`.
    public init(cell: Cell) throws(PostgresError) {
        guard let bytes = cell.bytes else { throw cell.mismatch(Self.self) }
        switch cell.type {
        case .text, .varchar, .bpchar, .name, .char, .unknown, .json:
            self = String(decoding: bytes, as: UTF8.self)
        case .jsonb where bytes.first == JSONLayout.version:
            self = String(decoding: bytes.dropFirst(), as: UTF8.self)
        case let type where type.isUserDefined && !bytes.contains(0):
            // The server sends an enum's label as text. A composite or an array starts with a length, whose bytes
            // include a zero.
            guard let text = String(validating: bytes, as: UTF8.self) else { throw cell.mismatch(Self.self) }
            self = text
        default: throw cell.mismatch(Self.self)
        }
    }
}

/// The version byte before the text of a `jsonb` value in binary format.
private enum JSONLayout {
    static let version: UInt8 = 1
}

/// JSON text that is bound as `jsonb` without changes, and read from `json` and `jsonb` without parsing.
public struct JSONText: RawRepresentable, Hashable, PostgresScalar {
    /// The JSON document.
    public let rawValue: String

    /// Creates a value from a JSON document; the server refuses invalid JSON.
    ///
    /// - Parameter rawValue: The JSON document.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// `jsonb`.
    public static var postgresOID: OID { .jsonb }
    /// `jsonb[]`.
    public static var postgresArrayOID: OID { .jsonbArray }

    /// Returns the version byte and the text.
    public func postgresBytes() -> [UInt8]? { [JSONLayout.version] + Array(self.rawValue.utf8) }

    /// Reads a `json` or `jsonb`.
    ///
    /// - Parameter cell: The value that the server sent.
    /// - Throws: ``PostgresError`` with code `decoding`.
    public init(cell: Cell) throws(PostgresError) {
        guard [.json, .jsonb].contains(cell.type) else { throw cell.mismatch(Self.self) }
        self.init(rawValue: try String(cell: cell))
    }
}

/// Uses a plain `JSONDecoder`; ``Row/decodeJSON(_:as:decoder:)`` accepts another one.
public struct JSON<Value: Decodable & Sendable>: PostgresDecodable {
    /// The decoded value.
    public let value: Value

    /// Reads and parses a document.
    ///
    /// - Parameter cell: The value that the server sent.
    /// - Throws: ``PostgresError`` with code `decoding`.
    public init(cell: Cell) throws(PostgresError) {
        self.value = try Self.parse(cell, with: JSONDecoder())
    }

    static func parse(_ cell: Cell, with decoder: JSONDecoder) throws(PostgresError) -> Value {
        let text = try JSONText(cell: cell).rawValue
        do {
            return try decoder.decode(Value.self, from: Data(text.utf8))
        } catch {
            throw PostgresError(
                .decoding,
                "column '\(cell.column)' contains JSON that cannot be decoded as \(Value.self)"
            )
        }
    }
}
