extension [UInt8] {
    /// Appends a text as a JSON string in UTF-8, with the same escapes as `JSONEncoder`.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - onOneLine: A Boolean value that indicates whether DEL, C1 controls and the two Unicode line separators are
    ///     escaped too, because some readers split lines at them.
    package mutating func append(quoted text: String, onOneLine: Bool = false) {
        var text = text
        self.append(UInt8(ascii: "\""))
        // Most texts need no escapes.
        let isPlain = text.withUTF8 { utf8 in
            guard utf8.allSatisfy({ (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }) else { return false }
            self.append(contentsOf: utf8)
            return true
        }
        if !isPlain { for scalar in text.unicodeScalars { self.append(escaping: scalar, onOneLine: onOneLine) } }
        self.append(UInt8(ascii: "\""))
    }

    private mutating func append(escaping scalar: Unicode.Scalar, onOneLine: Bool) {
        switch scalar {
        case "\"": self += #"\""#.utf8
        case "\\": self += #"\\"#.utf8
        case "\u{8}": self += #"\b"#.utf8
        case "\t": self += #"\t"#.utf8
        case "\n": self += #"\n"#.utf8
        case "\u{C}": self += #"\f"#.utf8
        case "\r": self += #"\r"#.utf8
        case "\u{0}"..."\u{1F}": self.append(code: scalar)
        case "\u{7F}"..."\u{9F}" where onOneLine: self.append(code: scalar)
        case "\u{2028}" where onOneLine, "\u{2029}" where onOneLine: self.append(code: scalar)
        default: self += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
        }
    }

    private mutating func append(code scalar: Unicode.Scalar) {
        let digits = String(scalar.value, radix: 16)
        self += "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8
    }
}

extension String {
    /// The text as a JSON string with its quotes.
    package var jsonQuoted: String {
        var bytes: [UInt8] = []
        bytes.append(quoted: self)
        return String(decoding: bytes, as: UTF8.self)
    }
}
