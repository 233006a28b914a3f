import Foundation

extension FixedWidthInteger {
    /// The integer's bytes in the byte order of the protocol.
    var bigEndianBytes: [UInt8] { withUnsafeBytes(of: self.bigEndian) { Array($0) } }
}

extension [UInt8] {
    /// Appends an integer's bytes in the byte order of the protocol.
    mutating func append(bigEndian number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.bigEndian) { self.append(contentsOf: $0) }
    }
}

extension Int: PostgresScalar {
    /// `bigint`.
    public static var postgresOID: OID { .int8 }
    /// `bigint[]`.
    public static var postgresArrayOID: OID { .int8Array }

    /// Returns eight bytes.
    public func postgresBytes() -> [UInt8]? { Int64(self).bigEndianBytes }

    /// Reads an integer of any width, or a whole `numeric` (such as the result of `sum(bigint)`).
    ///
    /// - Parameter cell: The value that the server sent.
    /// - Throws: ``PostgresError`` with code `decoding`.
    public init(cell: Cell) throws(PostgresError) {
        self = try Self.integer(cell)
    }
}

extension Int64: PostgresScalar {
    /// `bigint`.
    public static var postgresOID: OID { .int8 }
    /// `bigint[]`.
    public static var postgresArrayOID: OID { .int8Array }

    /// Returns eight bytes.
    public func postgresBytes() -> [UInt8]? { self.bigEndianBytes }

    /// Reads an integer of any width, or a whole `numeric`.
    ///
    /// - Parameter cell: The value that the server sent.
    /// - Throws: ``PostgresError`` with code `decoding`.
    public init(cell: Cell) throws(PostgresError) {
        self = try Self.integer(cell)
    }
}

extension Int32: PostgresScalar {
    /// `integer`.
    public static var postgresOID: OID { .int4 }
    /// `integer[]`.
    public static var postgresArrayOID: OID { .int4Array }

    /// Returns four bytes.
    public func postgresBytes() -> [UInt8]? { self.bigEndianBytes }

    /// Reads an integer; throws if the value does not fit.
    ///
    /// - Parameter cell: The value that the server sent.
    /// - Throws: ``PostgresError`` with code `decoding`.
    public init(cell: Cell) throws(PostgresError) {
        self = try Self.integer(cell)
    }
}

extension FixedWidthInteger {
    fileprivate static func integer(_ cell: Cell) throws(PostgresError) -> Self {
        let value: Self?
        switch cell.type {
        case .int2: value = Self(exactly: try cell.integer(Int16.self, for: Self.self))
        case .int4: value = Self(exactly: try cell.integer(Int32.self, for: Self.self))
        case .int8: value = Self(exactly: try cell.integer(Int64.self, for: Self.self))
        case .oid: value = Self(exactly: try cell.integer(UInt32.self, for: Self.self))
        case .numeric: value = Self(try Decimal(cell: cell).description)
        default: value = nil
        }
        guard let value else { throw cell.mismatch(Self.self) }
        return value
    }
}

extension Double: PostgresScalar {
    /// `double precision`.
    public static var postgresOID: OID { .float8 }
    /// `double precision[]`.
    public static var postgresArrayOID: OID { .float8Array }

    /// Returns eight bytes.
    public func postgresBytes() -> [UInt8]? { self.bitPattern.bigEndianBytes }

    /// Reads a floating-point number of either width, or a `numeric` (such as the result of `EXTRACT`).
    ///
    /// - Parameter cell: The value that the server sent.
    /// - Throws: ``PostgresError`` with code `decoding`.
    public init(cell: Cell) throws(PostgresError) {
        switch cell.type {
        case .float8: self = Double(bitPattern: try cell.integer(UInt64.self, for: Self.self))
        case .float4: self = Double(Float(bitPattern: try cell.integer(UInt32.self, for: Self.self)))
        case .numeric: self = NSDecimalNumber(decimal: try Decimal(cell: cell)).doubleValue
        default: throw cell.mismatch(Self.self)
        }
    }
}

extension Bool: PostgresScalar {
    /// `boolean`.
    public static var postgresOID: OID { .bool }
    /// `boolean[]`.
    public static var postgresArrayOID: OID { .boolArray }

    /// Returns one byte.
    public func postgresBytes() -> [UInt8]? { [self ? 1 : 0] }

    /// Reads a Boolean value.
    ///
    /// - Parameter cell: The value that the server sent.
    /// - Throws: ``PostgresError`` with code `decoding`.
    public init(cell: Cell) throws(PostgresError) {
        guard let byte = try cell.bytes(of: .bool, for: Self.self).first else { throw cell.mismatch(Self.self) }
        self = byte != 0
    }
}
