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
