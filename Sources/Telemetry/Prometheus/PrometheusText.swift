/// The parts of Prometheus' text format, version 0.0.4.
enum PrometheusText {
    /// Returns the labels of a series for the braces, sorted by name.
    static func labels(_ dimensions: [(String, String)]) -> String {
        dimensions.sorted { $0.0 < $1.0 }
            .map { "\(self.labelName($0.0))=\"\(self.escaped($0.1, quotes: true))\"" }
            .joined(separator: ",")
    }

    /// Returns the part of a sample before its value: the name and the labels.
    static func sample(_ name: String, _ labels: String, and more: String = "") -> String {
        let all = labels.isEmpty || more.isEmpty ? labels + more : "\(labels),\(more)"
        return all.isEmpty ? name : "\(name){\(all)}"
    }

    /// Returns the lines with a family's help text and type.
    static func header(_ name: String, _ help: String, _ type: String) -> String {
        "# HELP \(name) \(self.escaped(help, quotes: false))\n# TYPE \(name) \(type)\n"
    }

    /// Returns a value in the text format.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
        // Integers have no fraction, as long as a Double represents them exactly.
        if value == value.rounded(), abs(value) < 9_007_199_254_740_992 { return String(Int64(value)) }
        return "\(value)"
    }

    /// Returns a valid label name; characters other than letters, digits and underscores become underscores.
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
