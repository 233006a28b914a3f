import CLibpq

/// All rows of one result, copied out of libpq's memory into one block.
///
/// An object, so that each of its rows copies one reference.
final class RowTable: Sendable {
    struct Column: Sendable {
        let name: String
        let type: OID
    }

    let columns: [Column]
    /// The position of each column by name; `nil` if several columns share the name.
    let positions: [String: Int?]
    let rowCount: Int
    private let bytes: [UInt8]
    /// The end of each cell in `bytes`, row by row; a NULL cell has a negative end.
    private let ends: [Int]

    /// Copies a result; the caller still has to clear the result.
    init(_ result: OpaquePointer) {
        let columnCount = Int(PQnfields(result))
        self.rowCount = Int(PQntuples(result))
        self.columns = (0..<columnCount).map { column in
            Column(
                name: PQfname(result, Int32(column)).map { String(cString: $0) } ?? "",
                type: OID(rawValue: PQftype(result, Int32(column)))
            )
        }
        self.positions = Dictionary(self.columns.enumerated().map { ($1.name, Optional($0)) }) { _, _ in nil }
        var bytes: [UInt8] = []
        var ends: [Int] = []
        ends.reserveCapacity(self.rowCount * columnCount)
        for row in 0..<Int32(self.rowCount) {
            for column in 0..<Int32(columnCount) {
                let isNull = PQgetisnull(result, row, column) == 1
                if !isNull, let value = PQgetvalue(result, row, column) {
                    let length = Int(PQgetlength(result, row, column))
                    bytes.append(contentsOf: UnsafeRawBufferPointer(start: value, count: length))
                }
                ends.append(isNull ? ~bytes.count : bytes.count)
            }
        }
        self.bytes = bytes
        self.ends = ends
    }

    var rows: [Row] { (0..<self.rowCount).map { Row(table: self, index: $0) } }

    func cell(row: Int, column: Int) -> Cell {
        let place = row * self.columns.count + column
        let end = self.ends[place]
        let start = place == 0 ? 0 : self.ends[place - 1]
        return Cell(
            column: self.columns[column].name,
            type: self.columns[column].type,
            bytes: end < 0 ? nil : self.bytes[(start < 0 ? ~start : start)..<end]
        )
    }
}
