/// Reads values separated by commas as RFC 4180 has them, and nothing more lenient.
///
/// Lines end in CRLF or LF. Spaces belong to the values. A quote out of place ends the reading, because nobody can know
/// what belongs together after it. The packages at hand pad short rows, trim values and name no lines.
struct CSVReader {
    /// One record, or what is wrong with it.
    struct Record: Equatable {
        /// The line it begins on, counted from 1.
        let line: Int
        let fields: [String]
        /// Why the file cannot be read from here on.
        var fault: String?
    }

    private let bytes: [UInt8]
    private var position = 0
    private var line = 1

    /// Begins to read; a byte order mark at the beginning is passed over.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { self.position = 3 }
    }

    /// Reads the next record; nil at the end and after a fault.
    mutating func next() -> Record? {
        guard self.position < self.bytes.count else { return nil }
        let first = self.line
        var fields: [String] = []
        do {
            repeat {
                fields.append(try self.field())
            } while self.take(.comma)
            try self.endLine()
            return Record(line: first, fields: fields)
        } catch {
            self.position = self.bytes.count
            return Record(line: first, fields: [], fault: "\(error.reason); nothing from here on was read")
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
        while let byte = self.current, byte != .comma, byte != .lineFeed, !self.isAtCRLF {
            guard byte != .quote else { throw Fault(reason: "a quote inside a value without quotes") }
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
        throw Fault(reason: "a quote that is not closed")
    }

    private mutating func endLine() throws(Fault) {
        if self.isAtCRLF { self.position += 1 }
        guard self.take(.lineFeed) || self.current == nil else { throw Fault(reason: "text after a closing quote") }
        self.line += 1
    }

    private var isAtCRLF: Bool {
        self.current == .carriageReturn && self.position + 1 < self.bytes.count
            && self.bytes[self.position + 1] == .lineFeed
    }

    private func text(_ bytes: [UInt8]) throws(Fault) -> String {
        guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
            throw Fault(reason: "a value that is not UTF-8")
        }
        return text
    }
}

extension UInt8 {
    fileprivate static let quote = UInt8(ascii: "\"")
    fileprivate static let comma = UInt8(ascii: ",")
    fileprivate static let lineFeed = UInt8(ascii: "\n")
    fileprivate static let carriageReturn = UInt8(ascii: "\r")
}
