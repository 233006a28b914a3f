import Logging

/// JSON for the values of a log event; the escaping keeps each value within its string and its line.
extension [UInt8] {
    /// Appends a metadata value.
    mutating func append(_ value: Logger.MetadataValue) {
        switch value {
        case .string(let text): self.append(string: text)
        case .stringConvertible(let value): self.append(plain: value)
        case .array(let values): self.append(list: values, between: ("[", "]")) { $0.append($1) }
        case .dictionary(let members):
            self.append(list: members.sorted { $0.key < $1.key }, between: ("{", "}")) { bytes, member in
                bytes.append(string: member.key)
                bytes.append(json: ":")
                bytes.append(member.value)
            }
        }
    }

    /// Appends text that is already JSON.
    mutating func append(json: String) {
        self.append(contentsOf: json.utf8)
    }

    /// Appends text as a JSON string.
    mutating func append(string text: String) {
        var text = text
        self.append(UInt8(ascii: "\""))
        // Most texts need no escaping.
        let isPlain = text.withUTF8 { utf8 in
            guard utf8.allSatisfy({ (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }) else { return false }
            self.append(contentsOf: utf8)
            return true
        }
        if !isPlain { for scalar in text.unicodeScalars { self.append(escaping: scalar) } }
        self.append(UInt8(ascii: "\""))
    }

    /// Appends a number or a Boolean value as JSON, and any other value as text.
    private mutating func append(plain value: any CustomStringConvertible & Sendable) {
        switch value {
        // Int comes first, since a cast to any BinaryInteger searches all conformances of the type.
        case let number as Int: self.append(json: number.description)
        case let number as Double where number.isFinite: self.append(json: number.description)
        case let flag as Bool: self.append(json: flag.description)
        case let number as any BinaryInteger: self.append(json: number.description)
        default: self.append(string: value.description)
        }
    }

    private mutating func append<Item>(
        list: [Item],
        between brackets: (String, String),
        _ append: (inout Self, Item) -> Void
    ) {
        self.append(json: brackets.0)
        for (place, element) in list.enumerated() {
            if place > 0 { self.append(json: ",") }
            append(&self, element)
        }
        self.append(json: brackets.1)
    }

    private mutating func append(escaping scalar: Unicode.Scalar) {
        switch scalar {
        case "\"": self.append(json: "\\\"")
        case "\\": self.append(json: "\\\\")
        case "\n": self.append(json: "\\n")
        case "\r": self.append(json: "\\r")
        case "\t": self.append(json: "\\t")
        // Control characters, and the two line separators at which some collectors split lines.
        case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
            let digits = String(scalar.value, radix: 16)
            self.append(json: "\\u" + String(repeating: "0", count: 4 - digits.count) + digits)
        default: self.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        }
    }
}
