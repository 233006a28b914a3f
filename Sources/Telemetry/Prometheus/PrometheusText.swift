/// The pieces of Prometheus' text format, version 0.0.4.
enum PrometheusText {
    /// The labels of a series between its braces, ordered by name.
    static func labels(_ dimensions: [(String, String)]) -> String {
        dimensions.sorted { $0.0 < $1.0 }
            .map { "\(self.labelName($0.0))=\"\(self.escaped($0.1, quotes: true))\"" }
            .joined(separator: ",")
    }

    /// What stands before the value of a sample.
    static func sample(_ name: String, _ labels: String, and more: String = "") -> String {
        let all = labels.isEmpty || more.isEmpty ? labels + more : "\(labels),\(more)"
        return all.isEmpty ? name : "\(name){\(all)}"
    }

    /// What a family is and counts.
    static func header(_ name: String, _ help: String, _ type: String) -> String {
        "# HELP \(name) \(self.escaped(help, quotes: false))\n# TYPE \(name) \(type)\n"
    }

    /// A value as a scraper reads it.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
        // Whole numbers without a fraction, as long as they are exact.
        if value == value.rounded(), abs(value) < 9_007_199_254_740_992 { return String(Int64(value)) }
        return "\(value)"
    }

    /// Whatever is no letter, digit or underscore becomes one.
    private static func labelName(_ name: String) -> String {
        let text = String(name.unicodeScalars.map { self.isNameScalar($0) ? Character($0) : "_" })
        return text.first?.isNumber ?? true ? "_\(text)" : text
    }

    private static func isNameScalar(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_": true
        default: false
        }
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quotes: escaped += "\\\""
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}
