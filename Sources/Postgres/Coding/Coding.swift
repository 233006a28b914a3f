/// A value that can be bound to a parameter.
public protocol PostgresEncodable: Sendable {
    /// The declared type of the parameter; a NULL has this type too.
    static var postgresOID: OID { get }

    /// Returns the value in the type's binary format, or `nil` for NULL.
    func postgresBytes() -> [UInt8]?
}

/// A value that can be read from a column.
public protocol PostgresDecodable: Sendable {
    /// Reads a value.
    ///
    /// - Parameter cell: The value that the server sent.
    /// - Throws: ``PostgresError`` with code `decoding`.
    init(cell: Cell) throws(PostgresError)
}

/// A value that can be an element of an array.
public protocol PostgresArrayElement: Sendable {
    /// The type of an array of these.
    static var postgresArrayOID: OID { get }

    /// Returns an array's bytes.
    ///
    /// - Parameter elements: The elements in order.
    /// - Returns: The bytes.
    static func postgresArrayBytes(_ elements: [Self]) -> [UInt8]

    /// Reads an array.
    ///
    /// - Parameter cell: The value that the server sent.
    /// - Returns: The elements in order.
    /// - Throws: ``PostgresError`` with code `decoding`.
    static func postgresArray(_ cell: Cell) throws(PostgresError) -> [Self]
}

/// A value that can be bound and read, alone, as an optional, and in arrays.
public protocol PostgresScalar: PostgresEncodable, PostgresDecodable, PostgresArrayElement {}

extension Optional: PostgresEncodable where Wrapped: PostgresEncodable {
    /// The wrapped value's type.
    public static var postgresOID: OID { Wrapped.postgresOID }

    /// Returns the wrapped value's bytes, or `nil` for NULL.
    public func postgresBytes() -> [UInt8]? { self.flatMap { $0.postgresBytes() } }
}

extension Optional: PostgresDecodable where Wrapped: PostgresDecodable {
    /// Reads a value that may be NULL.
    ///
    /// - Parameter cell: The value that the server sent.
    /// - Throws: ``PostgresError`` with code `decoding`.
    public init(cell: Cell) throws(PostgresError) {
        self = cell.isNull ? nil : try Wrapped(cell: cell)
    }
}
