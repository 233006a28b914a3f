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
