/// An address of IPv4 in the loose forms that resolvers still take (`inet_aton`).
struct IPv4Number {
    let value: UInt32

    /// Reads one to four parts, the last of which fills what the others leave.
    init?(_ text: String) {
        let texts = text.split(separator: ".", omittingEmptySubsequences: false)
        let parts = texts.compactMap(Self.part)
        guard (1...4).contains(texts.count), parts.count == texts.count, let last = parts.last else { return nil }
        let heads = parts.dropLast()
        let room = 32 - 8 * UInt64(heads.count)
        guard heads.allSatisfy({ $0 <= 0xFF }), last >> room == 0 else { return nil }
        let front = heads.reduce(UInt64(0)) { $0 << 8 | $1 }
        self.value = UInt32(truncatingIfNeeded: front << room | last)
    }

    /// A part in decimal, in octal after 0, in hexadecimal after 0x.
    private static func part(_ text: Substring) -> UInt64? {
        guard let first = text.utf8.first, (48...57).contains(first), text.utf8.count <= 20 else { return nil }
        if text.hasPrefix("0x") || text.hasPrefix("0X") {
            return text.count == 2 ? 0 : UInt64(text.dropFirst(2), radix: 16)
        }
        return UInt64(text, radix: first == 48 ? 8 : 10)
    }
}
