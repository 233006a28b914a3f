public import Foundation

/// One row of a result.
///
/// Values are decoded on access, and strictly: text is never parsed into a number, and NULL requires an optional.
public struct Row: Sendable {
    private let table: RowTable
    private let index: Int

    init(table: RowTable, index: Int) {
        self.table = table
        self.index = index
    }

    /// The number of columns in the row.
    public var count: Int { self.table.columns.count }

    /// Reads a column by its name.
    ///
    /// - Parameters:
    ///   - column: The column's name, which must occur exactly once.
    ///   - type: The type to decode.
    /// - Returns: The value.
    /// - Throws: ``PostgresError`` with code `decoding`.
    public func decode<T: PostgresDecodable>(_ column: String, as type: T.Type = T.self) throws(PostgresError) -> T {
        try T(cell: try self.cell(column))
    }

    /// Reads every column by its position.
    ///
    /// - Parameter types: One type for each column, as in `(UUID, Int?).self`.
    /// - Returns: The values.
    /// - Throws: ``PostgresError`` with code `decoding`, also when the number of columns differs.
    public func decode<each T: PostgresDecodable>(
        _ types: (repeat each T).Type = (repeat each T).self
    ) throws(PostgresError) -> (repeat each T) {
        var wanted = 0
        for _ in repeat (each T).self { wanted += 1 }
        guard wanted == self.count else {
            throw PostgresError(.decoding, "the row has \(self.count) columns instead of \(wanted)")
        }
        var position = -1
        func next() -> Cell {
            position += 1
            return self.table.cell(row: self.index, column: position)
        }
        return (repeat try (each T)(cell: next()))
    }

    /// Reads a column of JSON.
    ///
    /// - Parameters:
    ///   - column: The column's name.
    ///   - type: The type to decode.
    ///   - decoder: The decoder, for dates or keys in a special format.
    /// - Returns: The value.
    /// - Throws: ``PostgresError`` with code `decoding`.
    public func decodeJSON<T: Decodable & Sendable>(
        _ column: String,
        as type: T.Type = T.self,
        decoder: JSONDecoder = JSONDecoder()
    ) throws(PostgresError) -> T {
        try JSON<T>.parse(try self.cell(column), with: decoder)
    }

    func cell(_ column: String) throws(PostgresError) -> Cell {
        guard let found = self.table.positions[column] else {
            throw PostgresError(.decoding, "column '\(column)' does not exist")
        }
        guard let found else { throw PostgresError(.decoding, "column '\(column)' occurs more than once") }
        return self.table.cell(row: self.index, column: found)
    }
}

/// One value of a row, in the server's binary format.
///
/// Decodable types read cells; most code does not use cells directly.
public struct Cell: Sendable {
    /// The name of the column.
    public let column: String
    /// The object identifier of the value's type, as reported by the server.
    public let type: OID
    /// The value's bytes; `nil` for NULL.
    public let bytes: ArraySlice<UInt8>?

    /// A Boolean value that indicates whether the value is NULL.
    public var isNull: Bool { self.bytes == nil }

    /// Returns the error for a value that cannot be decoded as the requested type; the error does not contain the
    /// value.
    ///
    /// - Parameter target: The requested Swift type.
    /// - Returns: An error with code `decoding`.
    public func mismatch(_ target: Any.Type) -> PostgresError {
        let found = self.isNull ? "NULL" : self.type.description
        return PostgresError(
            .decoding,
            "column '\(self.column)' contains \(found), which cannot be decoded as \(target)"
        )
    }

    /// Returns the bytes; throws for NULL and for types other than those given.
    func bytes(of types: OID..., for target: Any.Type) throws(PostgresError) -> ArraySlice<UInt8> {
        guard let bytes = self.bytes, types.contains(self.type) else { throw self.mismatch(target) }
        return bytes
    }

    /// Reads a big-endian integer; throws if its size differs from the value's size.
    func integer<T: FixedWidthInteger>(_: T.Type, for target: Any.Type) throws(PostgresError) -> T {
        guard let bytes = self.bytes, bytes.count == T.bitWidth / 8 else { throw self.mismatch(target) }
        return bytes.reduce(into: T.zero) { $0 = $0 << 8 | T(truncatingIfNeeded: $1) }
    }
}
