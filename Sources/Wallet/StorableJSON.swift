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
        var place = 0
        while place < bytes.count {
            if bytes[place] == 0 { return true }
            guard bytes[place] == UInt8(ascii: "\\") else {
                place += 1
                continue
            }
            // `\\` and the other short escapes end at once; `\u` takes four digits more.
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
