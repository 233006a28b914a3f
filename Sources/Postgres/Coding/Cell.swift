/// One value of a row, as the server sent it in binary.
///
/// Decodable types read it; most code never sees one.
public struct Cell: Sendable {
    /// The name of the column.
    public let column: String
    /// The object identifier of the type the server says it is.
    public let type: OID
    /// The value's bytes; `nil` for NULL.
    public let bytes: ArraySlice<UInt8>?

    /// Whether the value is NULL.
    public var isNull: Bool { self.bytes == nil }

    /// Returns the error for a value that cannot become what was asked for; it names no value.
    ///
    /// - Parameter target: The Swift type that was asked for.
    /// - Returns: An error with code `decoding`.
    public func mismatch(_ target: Any.Type) -> PostgresError {
        let found = self.isNull ? "NULL" : self.type.description
        return PostgresError(.decoding, "column '\(self.column)' holds \(found), which does not decode as \(target)")
    }

    /// Returns the bytes, or fails for NULL and for types other than those given.
    func bytes(of types: OID..., for target: Any.Type) throws(PostgresError) -> ArraySlice<UInt8> {
        guard let bytes = self.bytes, types.contains(self.type) else { throw self.mismatch(target) }
        return bytes
    }

    /// Reads a big-endian integer that must fill the value.
    func integer<T: FixedWidthInteger>(_: T.Type, for target: Any.Type) throws(PostgresError) -> T {
        guard let bytes = self.bytes, bytes.count == T.bitWidth / 8 else { throw self.mismatch(target) }
        return bytes.reduce(into: T.zero) { $0 = $0 << 8 | T(truncatingIfNeeded: $1) }
    }
}
