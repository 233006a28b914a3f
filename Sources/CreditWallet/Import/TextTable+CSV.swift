import Foundation
import Wallet

extension TextTable {
    /// Parses a file of values separated by commas, semicolons or tabs, whose first line contains the names of the
    /// columns.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - refuse: A closure that receives the line and the reason of each invalid record.
    /// - Throws: ``CommandError`` if the file cannot be read or has no columns.
    init(csv path: String, refuse: (Int, ImportRefusal) -> Void) throws(CommandError) {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandError(.system, "Cannot read \(path).")
        }
        try self.init(csv: Array(data), named: path, refuse: refuse)
    }

    /// Parses the bytes of such a file.
    init(csv bytes: [UInt8], named path: String, refuse: (Int, ImportRefusal) -> Void) throws(CommandError) {
        var reader: CSVReader
        do {
            reader = try CSVReader(bytes)
        } catch {
            throw CommandError(.failed, "Cannot read \(path): \(error.reason).")
        }
        guard let header = reader.next() else {
            throw CommandError(.failed, "\(path) is empty; its first line must contain the column names.")
        }
        if let fault = header.fault { throw CommandError(.failed, "\(path), line 1: \(fault).") }
        let counts = header.fields.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
        if let twice = header.fields.first(where: { counts[$0, default: 0] > 1 }) {
            throw CommandError(
                .failed,
                "\(path), line 1: duplicate column \(ImportRefusal.plain(twice)). Column names must be unique."
            )
        }
        var rows: [Row] = []
        while let record = reader.next() {
            if let fault = record.fault {
                refuse(record.line, ImportRefusal(fault))
            } else if record.fields.count != header.fields.count {
                refuse(record.line, ImportRefusal("\(record.fields.count) values instead of \(header.fields.count)"))
            } else {
                rows.append(Row(line: record.line, fields: record.fields.map { $0.isEmpty ? nil : $0 }))
            }
        }
        self.init(columns: header.fields, rows: rows)
    }
}
