public import Foundation

extension JSONDecoder {
    /// Decodes JSON that a client, a store or an issuer wrote.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - json: The JSON.
    /// - Returns: The decoded value.
    /// - Throws: `DecodingError`, also for each ``JSONFlaw``.
    public func decode<Value: Decodable>(_ type: Value.Type, external json: Data) throws -> Value {
        if let flaw = JSONFlaw(in: json) {
            let context = DecodingError.Context(codingPath: [], debugDescription: "JSON with a flaw: \(flaw)")
            throw DecodingError.dataCorrupted(context)
        }
        return try self.decode(type, from: json)
    }
}

/// A reason for which a text must not reach Foundation's JSON decoder.
///
/// With Swift 6.3, the decoder stops the process if malformed JSON ends with its 513th open bracket, and if a number with
/// about 130 digits or more is decoded as an integer. A failed decoding takes time proportional to the third power of the
/// nesting depth.
public enum JSONFlaw: Sendable {
    /// The text is not JSON (RFC 8259), or not in UTF-8: Foundation also reads UTF-16 and UTF-32.
    case syntax
    /// The JSON has more than ``maximumDepth`` levels.
    case depth
    /// A number has more than ``maximumDigits`` characters.
    case number

    /// The maximum number of levels; the deepest message of a store or a client has less than half of it.
    public static let maximumDepth = 32
    /// The maximum number of characters of a number.
    public static let maximumDigits = 100

    /// Finds the first flaw of a text; nil if there is none.
    ///
    /// Whether strings are valid UTF-8 is left to the decoder.
    ///
    /// - Parameter text: The text.
    public init?(in text: some Sequence<UInt8>) {
        let found = text.withContiguousStorageIfAvailable(Self.first) ?? Array(text).withUnsafeBufferPointer(Self.first)
        guard let found else { return nil }
        self = found
    }

    private static func first(in text: UnsafeBufferPointer<UInt8>) -> Self? {
        var scanner = JSONScanner(text: text)
        do throws(Self) {
            try scanner.scan()
            return nil
        } catch {
            return error
        }
    }
}

extension JSONFlaw: Error {}

/// Checks the grammar of a JSON text without keeping any value.
private struct JSONScanner {
    let text: UnsafeBufferPointer<UInt8>
    private var place = 0
    /// For each open level, from the innermost at the lowest bit, whether it is an object.
    private var objects: UInt64 = 0
    private var depth = 0

    init(text: UnsafeBufferPointer<UInt8>) { self.text = text }

    private var next: UInt8? { self.place < self.text.count ? self.text[self.place] : nil }

    mutating func scan() throws(JSONFlaw) {
        // A byte order mark may come first.
        if self.text.starts(with: [0xEF, 0xBB, 0xBF]) { self.place = 3 }
        repeat {
            try self.value()
        } while try self.continuesAfterValue()
    }

    /// Reads one value; of a list or an object, only the part up to the end of its first value.
    private mutating func value() throws(JSONFlaw) {
        self.skipSpace()
        switch self.next {
        case UInt8(ascii: "["), UInt8(ascii: "{"):
            let isObject = self.next == UInt8(ascii: "{")
            guard self.depth < JSONFlaw.maximumDepth else { throw .depth }
            self.depth += 1
            self.objects = self.objects << 1 | (isObject ? 1 : 0)
            self.place += 1
            self.skipSpace()
            guard self.next != UInt8(ascii: isObject ? "}" : "]") else { return }
            if isObject { try self.key() }
            try self.value()
        case UInt8(ascii: "\""): try self.string()
        case UInt8(ascii: "t"): try self.word("true")
        case UInt8(ascii: "f"): try self.word("false")
        case UInt8(ascii: "n"): try self.word("null")
        default: try self.number()
        }
    }

    /// Reads the brackets that close after a value, and a comma with the next key; returns whether a value follows.
    private mutating func continuesAfterValue() throws(JSONFlaw) -> Bool {
        while self.depth > 0 {
            self.skipSpace()
            let isObject = self.objects & 1 == 1
            switch self.next {
            case UInt8(ascii: ","):
                self.place += 1
                if isObject { try self.key() }
                return true
            case UInt8(ascii: isObject ? "}" : "]"):
                self.place += 1
                self.depth -= 1
                self.objects >>= 1
            default: throw .syntax
            }
        }
        self.skipSpace()
        guard self.next == nil else { throw .syntax }
        return false
    }

    private mutating func key() throws(JSONFlaw) {
        self.skipSpace()
        try self.string()
        self.skipSpace()
        try self.word(":")
    }

    private mutating func string() throws(JSONFlaw) {
        try self.word("\"")
        while let byte = self.next {
            self.place += 1
            switch byte {
            case UInt8(ascii: "\""): return
            case UInt8(ascii: "\\"): try self.escape()
            case 0..<0x20: throw .syntax
            default: break
            }
        }
        throw .syntax
    }

    private mutating func escape() throws(JSONFlaw) {
        let kind = self.next
        self.place += 1
        switch kind {
        case UInt8(ascii: "u"):
            for _ in 0..<4 {
                guard let digit = self.next, Self.isHexadecimal(digit) else { throw .syntax }
                self.place += 1
            }
        case let kind? where "\"\\/bfnrt".utf8.contains(kind): break
        default: throw .syntax
        }
    }

    private mutating func number() throws(JSONFlaw) {
        let start = self.place
        if self.next == UInt8(ascii: "-") { self.place += 1 }
        let isZero = self.next == UInt8(ascii: "0")
        guard try self.skipDigits() == 1 || !isZero else { throw .syntax }
        if self.next == UInt8(ascii: ".") {
            self.place += 1
            _ = try self.skipDigits()
        }
        if self.next == UInt8(ascii: "e") || self.next == UInt8(ascii: "E") {
            self.place += 1
            if self.next == UInt8(ascii: "+") || self.next == UInt8(ascii: "-") { self.place += 1 }
            _ = try self.skipDigits()
        }
        guard self.place - start <= JSONFlaw.maximumDigits else { throw .number }
    }

    /// Skips one or more digits, and returns their number.
    private mutating func skipDigits() throws(JSONFlaw) -> Int {
        let start = self.place
        while let digit = self.next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) { self.place += 1 }
        guard self.place > start else { throw .syntax }
        return self.place - start
    }

    private mutating func word(_ word: StaticString) throws(JSONFlaw) {
        for place in 0..<word.utf8CodeUnitCount {
            guard self.next == word.utf8Start[place] else { throw .syntax }
            self.place += 1
        }
    }

    private mutating func skipSpace() {
        while let byte = self.next, " \n\r\t".utf8.contains(byte) { self.place += 1 }
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}

/// Checks JSON before it is parsed and stored.
public enum StorableJSON {
    /// Returns whether any text in the JSON contains U+0000, as a byte or escaped; PostgreSQL cannot store it.
    ///
    /// - Parameter bytes: The JSON, which need not be well formed.
    /// - Returns: A Boolean value that indicates whether the JSON contains U+0000.
    public static func holdsNUL(_ bytes: some Sequence<UInt8>) -> Bool {
        // Contiguous bytes are checked in place, because iterating over another module's sequence takes many times as
        // long.
        bytes.withContiguousStorageIfAvailable(Self.holdsNUL(in:))
            ?? Array(bytes).withUnsafeBufferPointer(Self.holdsNUL(in:))
    }

    private static func holdsNUL(in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var place = 0
        while place < bytes.count {
            if bytes[place] == 0 { return true }
            guard bytes[place] == UInt8(ascii: "\\") else {
                place += 1
                continue
            }
            // `\\` and the other short escapes take two bytes; `\u` takes four digits more.
            let isLong = place + 1 < bytes.count && bytes[place + 1] == UInt8(ascii: "u")
            let end = min(place + (isLong ? 6 : 2), bytes.count)
            let escape = bytes[place..<end]
            if escape.contains(0) { return true }
            if isLong, escape.count == 6, escape.dropFirst(2).allSatisfy({ $0 == UInt8(ascii: "0") }) { return true }
            place = end
        }
        return false
    }
}
