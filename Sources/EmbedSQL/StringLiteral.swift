/// A Swift raw string literal with as many `#` as its text needs.
struct StringLiteral {
    let source: String

    /// Creates a literal on one line; the text must not contain a line break.
    init(line text: String) {
        let fence = Self.fence(for: text)
        self.source = "\(fence)\"\(text)\"\(fence)"
    }

    /// Creates a literal over several lines that keeps every line of the text unchanged.
    init(lines text: String) {
        let fence = Self.fence(for: text)
        self.source = "\(fence)\"\"\"\n\(text)\n\"\"\"\(fence)"
    }

    /// Returns one `#` more than the longest run in the text, so nothing in it can close the literal or start an
    /// escape.
    private static func fence(for text: String) -> String {
        var longest = 0
        var run = 0
        for byte in text.utf8 {
            run = byte == UInt8(ascii: "#") ? run + 1 : 0
            longest = max(longest, run)
        }
        return String(repeating: "#", count: longest + 1)
    }
}
