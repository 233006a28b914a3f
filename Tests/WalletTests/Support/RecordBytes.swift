import Foundation

/// Writes PostgreSQL's binary form of a record, as `record_send` does: the number of fields, then the type, length and
/// bytes of each.
struct RecordBytes {
    private(set) var bytes: [UInt8]

    init(fields: Int32) {
        self.bytes = Self.bigEndian(fields)
    }

    mutating func append(bytea value: Data?) { self.append(17, value.map(Array.init)) }
    mutating func append(int8 value: Int64?) { self.append(20, value.map(Self.bigEndian)) }
    mutating func append(text value: String?) { self.append(25, value.map { Array($0.utf8) }) }
    mutating func append(uuid value: UUID?) {
        self.append(2_950, value.map { withUnsafeBytes(of: $0.uuid, Array.init) })
    }
    /// Appends a timestamp, in microseconds since the year 2000.
    mutating func append(timestamptz value: Int64) { self.append(1_184, Self.bigEndian(value)) }

    private mutating func append(_ type: Int32, _ value: [UInt8]?) {
        self.bytes += Self.bigEndian(type)
        self.bytes += Self.bigEndian(value.map { Int32($0.count) } ?? -1)
        self.bytes += value ?? []
    }

    private static func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian, Array.init)
    }
}
