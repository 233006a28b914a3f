import Foundation
import Wallet

extension TextTable {
    /// Reads a file of values separated by commas, semicolons or tabs, whose first line names the columns.
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
        var reader: CSVReader
        do {
            reader = try CSVReader(bytes)
        } catch {
            throw CommandError(.failed, "\(path) cannot be read: \(error.reason).")
        }
        guard let header = reader.next() else {
            throw CommandError(.failed, "\(path) is empty; its first line must name the columns.")
        }
        if let fault = header.fault { throw CommandError(.failed, "\(path), line 1: \(fault).") }
        let counts = header.fields.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
        if let twice = header.fields.first(where: { counts[$0, default: 0] > 1 }) {
            throw CommandError(
                .failed,
                "\(path), line 1, names the column \(ImportRefusal.plain(twice)) twice; it must name different columns."
            )
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
