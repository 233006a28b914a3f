/// Mutates bytes without regard to their format.
public enum FuzzBytes {
    /// Texts that parsers often fail on.
    private static let snippets: [String] = [
        "\0", "\"", "\\", "{", "}", "[", "]", ":", ",", ".", "..", "=", "==", "&", "%", "%00", "%zz", "+", "-", "_",
        "/",
        "\r\n", "\n", " ", "\t", "\\u0000", "\\ud800", "\\u", "e999", "1e400", "-1", "0x", "NaN", "null", "true",
        "9223372036854775807", "9223372036854775808", "18446744073709551616", "\u{FEFF}", "\u{0301}", "\u{202E}",
        "🂡", "t=", "v1=", "Bearer ", "99999999999999999999-01-01T00:00:00Z", "2026-02-30T25:61:61+99:99",
    ]

    /// Returns the seed with one to eight random changes.
    ///
    /// - Parameters:
    ///   - seed: The bytes to change.
    ///   - others: Valid inputs whose parts may be inserted.
    ///   - random: The random number generator.
    /// - Returns: The changed bytes.
    public static func mutated(_ seed: [UInt8], with others: [[UInt8]] = [], _ random: inout FuzzRandom) -> [UInt8] {
        if random.chance(2) { return random.bytes(upTo: 300) }
        var bytes = seed
        for _ in 0..<random.pick([1, 1, 1, 2, 3, 8]) { self.change(&bytes, others, &random) }
        return bytes
    }

    /// Returns a text with one to eight random changes.
    public static func mutated(_ seed: String, _ random: inout FuzzRandom) -> String {
        String(decoding: self.mutated(Array(seed.utf8), &random), as: UTF8.self)
    }

    private static func change(_ bytes: inout [UInt8], _ others: [[UInt8]], _ random: inout FuzzRandom) {
        let place = random.below(bytes.count + 1)
        let end = min(bytes.count, place + random.pick([1, 1, 2, 4, 16, 200]))
        switch random.below(9) {
        case 0 where place < bytes.count: bytes[place] ^= 1 << UInt8(random.below(8))
        case 1 where place < bytes.count: bytes[place] = random.pick([0, 0x0A, 0x22, 0x2E, 0x30, 0x7F, 0x80, 0xFF])
        case 2: bytes.removeSubrange(place..<end)
        case 3: bytes.insert(contentsOf: bytes[place..<end], at: place)
        case 4: bytes.removeSubrange(place...)
        case 5: bytes.insert(contentsOf: random.bytes(upTo: 8), at: place)
        case 6 where !others.isEmpty:
            let other = random.pick(others)
            let start = random.below(other.count)
            bytes.replaceSubrange(place..<end, with: other[start..<min(other.count, start + random.below(64))])
        case 7 where place < bytes.count: bytes.swapAt(place, random.below(bytes.count))
        default: bytes.insert(contentsOf: Array(random.pick(self.snippets).utf8), at: place)
        }
    }
}
