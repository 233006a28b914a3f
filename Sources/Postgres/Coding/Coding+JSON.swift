import Foundation

/// The marker before the text of a `jsonb` in binary.
enum JSONLayout {
    static let version: UInt8 = 1
}

/// JSON text bound as `jsonb` just as it stands, and read from `json` and `jsonb` unparsed.
public struct JSONText: RawRepresentable, Hashable, PostgresScalar {
    /// The JSON document.
    public let rawValue: String

    /// Wraps a JSON document; the server refuses what is none.
    ///
    /// - Parameter rawValue: The JSON document.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// `jsonb`.
    public static var postgresOID: OID { .jsonb }
    /// `jsonb[]`.
    public static var postgresArrayOID: OID { .jsonbArray }

    /// Returns the text behind its version byte.
    public func postgresBytes() -> [UInt8]? { [JSONLayout.version] + Array(self.rawValue.utf8) }

    /// Reads a `json` or `jsonb`.
    ///
    /// - Parameter cell: What the server sent.
    /// - Throws: ``PostgresError`` with code `decoding`.
    public init(cell: Cell) throws(PostgresError) {
        guard [.json, .jsonb].contains(cell.type) else { throw cell.mismatch(Self.self) }
        self.init(rawValue: try String(cell: cell))
    }
}

/// A `Decodable` value read from a `json` or `jsonb` column, usable in tuples, as an optional and in arrays.
///
/// It uses a plain `JSONDecoder`; ``Row/decodeJSON(_:as:decoder:)`` takes another.
public struct JSON<Value: Decodable & Sendable>: PostgresDecodable {
    /// What the JSON says.
    public let value: Value

    /// Reads and parses a document.
    ///
    /// - Parameter cell: What the server sent.
    /// - Throws: ``PostgresError`` with code `decoding`.
    public init(cell: Cell) throws(PostgresError) {
        self.value = try Self.parse(cell, with: JSONDecoder())
    }

    static func parse(_ cell: Cell, with decoder: JSONDecoder) throws(PostgresError) -> Value {
        let text = try JSONText(cell: cell).rawValue
        do {
            return try decoder.decode(Value.self, from: Data(text.utf8))
        } catch {
            throw PostgresError(.decoding, "column '\(cell.column)' holds JSON that does not decode as \(Value.self)")
        }
    }
}
