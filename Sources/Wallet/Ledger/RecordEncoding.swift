import Foundation

/// The bytes of a row in the format of PostgreSQL's `record_send`.
///
/// Each field has its type, length and content, so different rows always have different encodings.
struct RecordEncoding {
    /// The OIDs of built-in types, which are the same in every release of PostgreSQL.
    private enum TypeNumber: UInt32 {
        case bytea = 17
        case bigint = 20
        case text = 25
        case timestamptz = 1_184
        case uuid = 2_950
    }

    private var count: UInt32 = 0
    private var fields: [UInt8] = []

    /// The complete row.
    var bytes: [UInt8] { Self.bigEndian(self.count) + self.fields }

    mutating func append(_ value: Data?) {
        self.append(.bytea, value.map(Array.init))
    }

    mutating func append(_ value: Int64?) {
        self.append(.bigint, value.map(Self.bigEndian))
    }

    mutating func append(_ value: String?) {
        self.append(.text, value.map { Array($0.utf8) })
    }

    mutating func append(_ value: UUID?) {
        self.append(.uuid, value.map { uuid in withUnsafeBytes(of: uuid.uuid, Array.init) })
    }

    mutating func append(microsecondsSince2000 value: Int64) {
        self.append(.timestamptz, Self.bigEndian(value))
    }

    private mutating func append(_ type: TypeNumber, _ content: [UInt8]?) {
        self.count += 1
        self.fields += Self.bigEndian(type.rawValue)
        self.fields += Self.bigEndian(content.map { Int32($0.count) } ?? -1)
        self.fields += content ?? []
    }

    private static func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian, Array.init)
    }
}
