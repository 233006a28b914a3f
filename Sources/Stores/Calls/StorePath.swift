/// How foreign text becomes part of a URL.
enum StorePath {
    /// The longest text that becomes a segment, in bytes before escaping.
    static let maximumBytes = 1_500

    /// Escapes text as one segment of a path, or as one value of a query, so that it can lead nowhere else.
    ///
    /// Every byte but the unreserved ones of RFC 3986 is percent-encoded, a percent sign too.
    /// - Parameter text: an id that came from outside.
    /// - Returns: the segment; nil for text that is no id of any store: empty, a dot or two, longer than
    ///   ``maximumBytes``, or with control characters in it.
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
