/// Escapes external text for use in URLs.
enum StorePath {
    /// The maximum size of a segment, in bytes before escaping.
    static let maximumBytes = 1_500

    /// Escapes text as one path segment or one query value, so that it cannot change the structure of the URL.
    ///
    /// Every byte except the unreserved characters of RFC 3986 is percent-encoded, including the percent sign.
    /// - Parameter text: An id from an external source.
    /// - Returns: The segment; nil for text that cannot be a store's id: empty, one or two dots, longer than
    ///   ``maximumBytes``, or with control characters.
    static func segment(_ text: String) -> String? {
        let bytes = text.utf8
        guard !bytes.isEmpty, bytes.count <= self.maximumBytes, text != ".", text != ".." else { return nil }
        guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else { return nil }
        var segment = ""
        for byte in bytes {
            if self.isUnreserved(byte) {
                segment.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                segment += digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return segment
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
