/// Looks at JSON before it is parsed and stored.
public enum StorableJSON {
    /// Returns whether any text in it holds U+0000, which PostgreSQL cannot store: as a byte or escaped.
    ///
    /// - Parameter bytes: The JSON, which need not be well formed.
    /// - Returns: Whether it does.
    public static func holdsNUL(_ bytes: some Sequence<UInt8>) -> Bool {
        // What lies in one piece is looked at there: to ask another module's sequence for each byte takes many times as
        // long.
        bytes.withContiguousStorageIfAvailable(Self.holdsNUL(in:))
            ?? Array(bytes).withUnsafeBufferPointer(Self.holdsNUL(in:))
    }

    private static func holdsNUL(in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var escape: [UInt8]?
        for byte in bytes {
            if byte == 0 { return true }
            guard var digits = escape else {
                if byte == UInt8(ascii: "\\") { escape = [] }
                continue
            }
            digits.append(byte)
            // `\\` and the other short escapes end at once; `\u` takes four digits more.
            if digits[0] != UInt8(ascii: "u") {
                escape = nil
            } else if digits.count == 5 {
                if digits.dropFirst().allSatisfy({ $0 == UInt8(ascii: "0") }) { return true }
                escape = nil
            } else {
                escape = digits
            }
        }
        return false
    }
}
