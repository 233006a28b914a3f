extension PostgresArrayElement where Self: PostgresEncodable {
    /// Returns an array's bytes: one dimension with lower bound 1, or no dimension for an empty array.
    ///
    /// - Parameter elements: The elements in order.
    /// - Returns: The bytes.
    public static func postgresArrayBytes(_ elements: [Self]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(20 + 24 * elements.count)
        bytes.append(bigEndian: Int32(elements.isEmpty ? 0 : 1))
        let flagOfNulls = bytes.count
        bytes.append(bigEndian: Int32(0))
        bytes.append(bigEndian: Self.postgresOID.rawValue)
        guard !elements.isEmpty else { return bytes }
        bytes.append(bigEndian: Int32(elements.count))
        bytes.append(bigEndian: Int32(1))
        for element in elements {
            if let value = element.postgresBytes() {
                bytes.append(bigEndian: Int32(value.count))
                bytes += value
            } else {
                bytes[flagOfNulls + 3] = 1
                bytes.append(bigEndian: Int32(-1))
            }
        }
        return bytes
    }
}

extension PostgresArrayElement where Self: PostgresDecodable {
    /// Reads an array of one dimension.
    ///
    /// - Parameter cell: The value that the server sent.
    /// - Returns: The elements in order.
    /// - Throws: ``PostgresError`` with code `decoding`, also for arrays of several dimensions.
    public static func postgresArray(_ cell: Cell) throws(PostgresError) -> [Self] {
        var reader = ArrayReader(cell: cell, target: [Self].self)
        guard cell.type.isComposed, !cell.isNull else { throw cell.mismatch([Self].self) }
        let (type, count) = try reader.readHead()
        var elements: [Self] = []
        elements.reserveCapacity(count)
        for _ in 0..<count {
            let bytes = try reader.readElement()
            elements.append(try Self(cell: Cell(column: cell.column, type: type, bytes: bytes)))
        }
        return elements
    }
}

extension Optional: PostgresArrayElement where Wrapped: PostgresScalar {
    /// The type of an array of the wrapped values.
    public static var postgresArrayOID: OID { Wrapped.postgresArrayOID }
}

extension Array: PostgresEncodable where Element: PostgresArrayElement {
    /// The array type of the elements.
    public static var postgresOID: OID { Element.postgresArrayOID }

    /// Returns the array's bytes.
    public func postgresBytes() -> [UInt8]? { Element.postgresArrayBytes(self) }
}

extension Array: PostgresDecodable where Element: PostgresArrayElement {
    /// Reads an array.
    ///
    /// - Parameter cell: The value that the server sent.
    /// - Throws: ``PostgresError`` with code `decoding`.
    public init(cell: Cell) throws(PostgresError) {
        self = try Element.postgresArray(cell)
    }
}

extension Row {
    /// Reads a column with an array of rows, such as the result of `array_agg(ROW(…))`.
    ///
    /// - Parameter column: The column's name, which must occur exactly once.
    /// - Returns: The fields of each row, in their order.
    /// - Throws: ``PostgresError`` with code `decoding`.
    public func decodeRows(_ column: String) throws(PostgresError) -> [[Cell]] {
        try self.cell(column).rows()
    }
}

extension Cell {
    /// Returns the fields of each row of an array.
    func rows() throws(PostgresError) -> [[Cell]] {
        var reader = ArrayReader(cell: self, target: [[Cell]].self)
        guard self.type.isComposed, !self.isNull else { throw self.mismatch([[Cell]].self) }
        let (type, count) = try reader.readHead()
        guard type.isComposed else { throw self.mismatch([[Cell]].self) }
        var rows: [[Cell]] = []
        for _ in 0..<count {
            var fields = ArrayReader(cell: self, target: [Cell].self, rest: try reader.readElement() ?? [])
            rows.append(try fields.readFields())
        }
        return rows
    }
}

extension OID {
    private static let scalars: Set<OID> = [
        .bool, .bytea, .int8, .int2, .int4, .text, .json, .float4, .float8, .date, .timestamptz, .numeric, .uuid,
        .jsonb, .char, .name, .oid, .unknown, .bpchar, .varchar, .timestamp, .interval,
    ]

    /// A Boolean value that indicates whether values of the type may have the layout of an array or a row; the reader then
    /// checks the layout.
    fileprivate var isComposed: Bool { !Self.scalars.contains(self) }
}

/// Reads the binary layout of an array, or of a row in it, without reading past its end.
private struct ArrayReader {
    let cell: Cell
    let target: Any.Type
    var rest: ArraySlice<UInt8>

    init(cell: Cell, target: Any.Type, rest: ArraySlice<UInt8>? = nil) {
        self.cell = cell
        self.target = target
        self.rest = rest ?? cell.bytes ?? []
    }

    /// Reads the fields of a row: their number, then each type and value.
    mutating func readFields() throws(PostgresError) -> [Cell] {
        var fields: [Cell] = []
        let count = try self.readInt32()
        guard count >= 0 else { throw self.cell.mismatch(self.target) }
        for _ in 0..<count {
            let type = OID(rawValue: UInt32(bitPattern: try self.readInt32()))
            fields.append(Cell(column: self.cell.column, type: type, bytes: try self.readElement()))
        }
        return fields
    }

    /// Reads the element type and the number of elements.
    mutating func readHead() throws(PostgresError) -> (type: OID, count: Int) {
        let dimensions = try self.readInt32()
        _ = try self.readInt32()
        let type = OID(rawValue: UInt32(bitPattern: try self.readInt32()))
        guard dimensions > 0 else { return (type, 0) }
        let count = Int(try self.readInt32())
        _ = try self.readInt32()
        guard dimensions == 1, count >= 0, count <= self.rest.count / 4 else { throw self.cell.mismatch(self.target) }
        return (type, count)
    }

    /// Reads one element; `nil` for NULL.
    mutating func readElement() throws(PostgresError) -> ArraySlice<UInt8>? {
        let length = Int(try self.readInt32())
        guard length >= 0 else { return nil }
        return try self.take(length)
    }

    private mutating func readInt32() throws(PostgresError) -> Int32 {
        try self.take(4).reduce(into: Int32.zero) { $0 = $0 << 8 | Int32($1) }
    }

    private mutating func take(_ count: Int) throws(PostgresError) -> ArraySlice<UInt8> {
        guard self.rest.count >= count else { throw self.cell.mismatch(self.target) }
        defer { self.rest = self.rest.dropFirst(count) }
        return self.rest.prefix(count)
    }
}
