import Logging

/// JSON for what a log event may carry; nothing in it can break out of its string or its line.
enum JSONText {
    static func value(_ value: Logger.MetadataValue) -> String {
        switch value {
        case .string(let text): self.string(text)
        case .stringConvertible(let value): self.plain(value)
        case .array(let values): "[\(values.map(self.value).joined(separator: ","))]"
        case .dictionary(let members): self.object(members)
        }
    }

    /// A number or a truth value as JSON has it, anything else as text.
    private static func plain(_ value: any CustomStringConvertible & Sendable) -> String {
        switch value {
        case let number as any BinaryInteger: number.description
        case let number as Double where number.isFinite: number.description
        case let flag as Bool: flag.description
        default: self.string(value.description)
        }
    }

    static func string(_ text: String) -> String {
        // Most texts need nothing but their quotes.
        if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }) { return "\"\(text)\"" }
        var json = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": json += "\\\""
            case "\\": json += "\\\\"
            case "\n": json += "\\n"
            case "\r": json += "\\r"
            case "\t": json += "\\t"
            // Control characters, and the two line separators that some collectors break lines at.
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}": json += self.escaped(scalar)
            default: json.unicodeScalars.append(scalar)
            }
        }
        return json + "\""
    }

    private static func object(_ members: Logger.Metadata) -> String {
        let fields = members.sorted { $0.key < $1.key }.map { "\(self.string($0.key)):\(self.value($0.value))" }
        return "{\(fields.joined(separator: ","))}"
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16)
        return "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)"
    }
}
