import CommandOutput
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

/// Parses comma-separated values according to RFC 4180 and as Excel writes them: with semicolons in regions with
/// decimal commas, and in UTF-16 with tabs as "Unicode text".
///
/// The first line determines the separator. Lines end in CRLF or LF. Spaces are part of the values. A misplaced quote
/// ends the parsing, because the structure of the rest is unknown. Existing packages are not suitable, because they pad
/// short rows, trim values and report no line numbers.
struct CSVReader {
    /// A record, or the error at its place.
    struct Record: Equatable {
        /// The line on which the record begins, counted from 1.
        let line: Int
        let fields: [String]
        /// The reason why the file cannot be parsed from this record on.
        var fault: String?
    }

    /// The whole file in UTF-8.
    private let bytes: [UInt8]
    private let separator: UInt8
    private var position = 0
    private var line = 1

    /// Creates a reader.
    ///
    /// - Parameter bytes: UTF-8 with or without a byte order mark, or UTF-16 with one.
    /// - Throws: ``ImportRefusal`` for invalid UTF-16, or UTF-16 without a byte order mark.
    init(_ bytes: [UInt8]) throws(ImportRefusal) {
        self.bytes = try Self.utf8(bytes)
        self.separator = Self.separator(of: self.bytes)
    }

    private static func utf8(_ bytes: [UInt8]) throws(ImportRefusal) -> [UInt8] {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return Array(bytes.dropFirst(3)) }
        let isLittleEndian = bytes.starts(with: [0xFF, 0xFE])
        guard isLittleEndian || bytes.starts(with: [0xFE, 0xFF]) else {
            // In UTF-16, every second byte of a Latin text is 0.
            guard !bytes.prefix(2).contains(0) else {
                throw ImportRefusal("it contains NUL bytes; save it as UTF-8, or as UTF-16 with a byte order mark")
            }
            return bytes
        }
        let units = stride(from: 2, to: bytes.count - 1, by: 2).map { place in
            let (first, second) = (UInt16(bytes[place]), UInt16(bytes[place + 1]))
            return isLittleEndian ? second << 8 | first : first << 8 | second
        }
        guard bytes.count.isMultiple(of: 2), let text = String(validating: units, as: UTF16.self) else {
            throw ImportRefusal("its byte order mark is of UTF-16, but the text is not valid UTF-16; save it as UTF-8")
        }
        return Array(text.utf8)
    }

    /// Returns the separator in the first line outside quotes: a comma, otherwise a semicolon, otherwise a tab.
    private static func separator(of bytes: [UInt8]) -> UInt8 {
        var isQuoted = false
        var found: Set<UInt8> = []
        for byte in bytes {
            if byte == .quote {
                isQuoted.toggle()
            } else if !isQuoted {
                if byte == .lineFeed { break }
                found.insert(byte)
            }
        }
        return [.comma, .semicolon, .tab].first(where: found.contains) ?? .comma
    }

    /// Returns the next record; nil at the end and after an error.
    mutating func next() -> Record? {
        guard self.position < self.bytes.count else { return nil }
        let first = self.line
        var fields: [String] = []
        do {
            repeat {
                fields.append(try self.field())
            } while self.take(self.separator)
            try self.endLine()
            return Record(line: first, fields: fields)
        } catch {
            self.position = self.bytes.count
            return Record(
                line: first,
                fields: [],
                fault: "\(error.reason); this line and the following ones were not read"
            )
        }
    }

    private struct Fault: Error {
        let reason: String
    }

    private var current: UInt8? { self.position < self.bytes.count ? self.bytes[self.position] : nil }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard self.current == byte else { return false }
        self.position += 1
        return true
    }

    private mutating func field() throws(Fault) -> String {
        if self.take(.quote) { return try self.quotedField() }
        let start = self.position
        while let byte = self.current, byte != self.separator, byte != .lineFeed, !self.isAtCRLF {
            guard byte != .quote else { throw Fault(reason: "unexpected quote in an unquoted value") }
            self.position += 1
        }
        return try self.text(Array(self.bytes[start..<self.position]))
    }

    private mutating func quotedField() throws(Fault) -> String {
        var value: [UInt8] = []
        while let byte = self.current {
            self.position += 1
            if byte == .quote {
                guard self.take(.quote) else { return try self.text(value) }
            }
            if byte == .lineFeed { self.line += 1 }
            value.append(byte)
        }
        throw Fault(reason: "unclosed quote")
    }

    private mutating func endLine() throws(Fault) {
        if self.isAtCRLF { self.position += 1 }
        guard self.take(.lineFeed) || self.current == nil else {
            throw Fault(reason: "unexpected text after a closing quote")
        }
        self.line += 1
    }

    private var isAtCRLF: Bool {
        self.current == .carriageReturn && self.position + 1 < self.bytes.count
            && self.bytes[self.position + 1] == .lineFeed
    }

    private func text(_ bytes: [UInt8]) throws(Fault) -> String {
        guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
            throw Fault(reason: "a value is not valid UTF-8")
        }
        return text
    }
}

extension UInt8 {
    fileprivate static let quote = UInt8(ascii: "\"")
    fileprivate static let comma = UInt8(ascii: ",")
    fileprivate static let semicolon = UInt8(ascii: ";")
    fileprivate static let tab = UInt8(ascii: "\t")
    fileprivate static let lineFeed = UInt8(ascii: "\n")
    fileprivate static let carriageReturn = UInt8(ascii: "\r")
}
