/// Rows that are bound as one text parameter, which the statement casts to an array of a composite type:
/// `"\(rows)::wallet.booking_request[]"`.
///
/// The rows need one parameter, regardless of the number of columns. The binary format would require the OIDs that the
/// database assigned to the composite type and to its columns' types.
public struct RowArray: PostgresEncodable {
    private var bytes = [UInt8(ascii: "{")]
    private var hasColumns = false

    /// Creates an array without rows.
    public init() {}

    /// `text`.
    public static var postgresOID: OID { .text }

    /// Returns the text's bytes; the server refuses a NUL among them with 22021.
    public func postgresBytes() -> [UInt8]? { self.bytes + [UInt8(ascii: "}")] }

    /// - Parameter addColumns: A closure that adds the row's columns, in their order.
    public mutating func addRow(_ addColumns: (inout RowArray) -> Void) {
        if self.bytes.count > 1 { self.bytes.append(UInt8(ascii: ",")) }
        self.bytes += "\"(".utf8
        self.hasColumns = false
        addColumns(&self)
        self.bytes += ")\"".utf8
    }

    /// Adds a text to the current row; the text may contain any characters.
    ///
    /// - Parameter text: The text; `nil` for NULL.
    public mutating func add(_ text: String?) {
        self.beginColumn()
        guard var text else { return }
        self.bytes += #"\""#.utf8
        text.withUTF8 { utf8 in
            // Most texts contain neither of the two characters that need escaping.
            if utf8.allSatisfy({ $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
                self.bytes.append(contentsOf: utf8)
            } else {
                for byte in utf8 { self.append(escaping: byte) }
            }
        }
        self.bytes += #"\""#.utf8
    }

    /// Adds a whole number to the current row.
    ///
    /// - Parameter number: The number; `nil` for NULL.
    public mutating func add(_ number: Int64?) {
        self.beginColumn()
        if let number { self.bytes += String(number).utf8 }
    }

    /// Escapes a byte for the row, and escapes the result again for the array.
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
