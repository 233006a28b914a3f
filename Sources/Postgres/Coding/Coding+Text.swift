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
