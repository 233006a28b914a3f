/// Rows bound as the text of an array of a composite type, which the statement casts it to:
/// `"\(rows)::wallet.booking_request[]"`.
///
/// One parameter, however many columns there are. The binary format would need the numbers that the database has given to
/// the composite type and to its columns' types.
public struct RowArray: PostgresEncodable {
    private var bytes = [UInt8(ascii: "{")]
    private var hasColumns = false

    /// Makes an array without rows.
    public init() {}

    /// `text`.
    public static var postgresOID: OID { .text }

    /// Returns the text's bytes; the server refuses a NUL among them with 22021.
    public func postgresBytes() -> [UInt8]? { self.bytes + [UInt8(ascii: "}")] }

    /// Adds a row.
    ///
    /// - Parameter addColumns: Adds the row's columns, in their order.
    public mutating func addRow(_ addColumns: (inout RowArray) -> Void) {
        if self.bytes.count > 1 { self.bytes.append(UInt8(ascii: ",")) }
        self.bytes += "\"(".utf8
        self.hasColumns = false
        addColumns(&self)
        self.bytes += ")\"".utf8
    }

    /// Adds a text to the present row; it may hold any characters.
    ///
    /// - Parameter text: The text; nil for NULL.
    public mutating func add(_ text: String?) {
        self.beginColumn()
        guard var text else { return }
        self.bytes += #"\""#.utf8
        text.withUTF8 { utf8 in
            // Few texts hold either of the two that are escaped.
            if utf8.allSatisfy({ $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
                self.bytes.append(contentsOf: utf8)
            } else {
                for byte in utf8 { self.append(escaping: byte) }
            }
        }
        self.bytes += #"\""#.utf8
    }

    /// Adds a whole number to the present row.
    ///
    /// - Parameter number: The number; nil for NULL.
    public mutating func add(_ number: Int64?) {
        self.beginColumn()
        if let number { self.bytes += String(number).utf8 }
    }

    /// Escapes a byte for the row, and what that makes of it once more for the array.
    private mutating func append(escaping byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): self.bytes += #"\\\""#.utf8
        case UInt8(ascii: "\\"): self.bytes += #"\\\\"#.utf8
        default: self.bytes.append(byte)
        }
    }

    private mutating func beginColumn() {
        if self.hasColumns { self.bytes.append(UInt8(ascii: ",")) }
        self.hasColumns = true
    }
}
