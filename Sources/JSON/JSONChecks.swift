public import Foundation

extension JSONDecoder {
    /// Decodes JSON that a client, a store or an issuer wrote.
    ///
    /// It refuses JSON that is nested too deeply (``JSONDepth``) or not in UTF-8. Foundation also reads UTF-16 and UTF-32,
    /// in which the depth could be hidden. With Swift 6.3, a text that ends with its 513th open bracket stops the process.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - json: The JSON.
    /// - Returns: The decoded value.
    /// - Throws: `DecodingError`.
    public func decode<Value: Decodable>(_ type: Value.Type, external json: Data) throws -> Value {
        // In UTF-16 and UTF-32, brackets have zero bytes. In UTF-8, only U+0000 has, and no JSON contains it unescaped.
        let zero = json.withUnsafeBytes { bytes in bytes.baseAddress.flatMap { memchr($0, 0, bytes.count) } }
        guard zero == nil, !JSONDepth.isExceeded(by: json) else {
            let description = "The JSON is nested too deeply or is not UTF-8."
            throw DecodingError.dataCorrupted(DecodingError.Context(codingPath: [], debugDescription: description))
        }
        return try self.decode(type, from: json)
    }
}

/// The limit on the nesting depth of external JSON.
///
/// Decoding takes time proportional to the depth, and a failed decoding takes time proportional to its third power. A
/// message that consists only of brackets would take seconds; one of 513 would stop the process.
public enum JSONDepth {
    /// The maximum number of levels; the deepest message of a store or a client has less than half of it.
    public static let maximum = 32

    /// Returns a Boolean value that indicates whether JSON exceeds the maximum depth, without parsing it.
    ///
    /// - Parameter json: The JSON, which need not be well formed.
    /// - Returns: `true` if the maximum depth is exceeded.
    public static func isExceeded(by json: some Sequence<UInt8>) -> Bool {
        json.withContiguousStorageIfAvailable(Self.isExceeded(in:))
            ?? Array(json).withUnsafeBufferPointer(Self.isExceeded(in:))
    }

    private static func isExceeded(in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var depth = 0
        var isInText = false
        var isEscaped = false
        for byte in bytes {
            if isEscaped {
                isEscaped = false
            } else if isInText {
                isEscaped = byte == UInt8(ascii: "\\")
                isInText = byte != UInt8(ascii: "\"")
            } else {
                switch byte {
                case UInt8(ascii: "\""): isInText = true
                case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
                case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
                default: break
                }
                if depth > Self.maximum { return true }
            }
        }
        return false
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
