import Foundation
import Wallet

extension TextTable {
    /// Reads a file of values separated by commas, whose first line names the columns.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - refuse: Gets the line of each record that cannot be read, and why.
    /// - Throws: ``CommandError`` when the file cannot be read or names no columns.
    init(csv path: String, refuse: (Int, ImportRefusal) -> Void) throws(CommandError) {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandError(.system, "\(path) cannot be read.")
        }
        try self.init(csv: Array(data), named: path, refuse: refuse)
    }

    /// Reads the bytes of such a file.
    init(csv bytes: [UInt8], named path: String, refuse: (Int, ImportRefusal) -> Void) throws(CommandError) {
        var reader = CSVReader(bytes)
        guard let header = reader.next(), header.fault == nil, Set(header.fields).count == header.fields.count else {
            throw CommandError(.failed, "\(path) does not begin with a line of different column names.")
        }
        var rows: [Row] = []
        while let record = reader.next() {
            if let fault = record.fault {
                refuse(record.line, ImportRefusal(fault))
            } else if record.fields.count != header.fields.count {
                refuse(record.line, ImportRefusal("\(record.fields.count) values, not \(header.fields.count)"))
            } else {
                rows.append(Row(line: record.line, fields: record.fields.map { $0.isEmpty ? nil : $0 }))
            }
        }
        self.init(columns: header.fields, rows: rows)
    }
}
