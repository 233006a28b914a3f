import JSON
import Yams

/// Converts YAML to JSON and keeps the order of members.
struct JSONText {
    /// The indentation of one level.
    private static let step = "  "

    private let isMarkedUp: Bool
    private let number = /-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/

    /// Returns plain JSON.
    ///
    /// - Parameter node: The node to convert.
    /// - Returns: The text, over several lines.
    static func plain(_ node: Node) -> String { JSONText(isMarkedUp: false).text(node, "") }

    /// Returns JSON as HTML with names in `<b>` and texts in `<i>`, which the style sheet colours.
    ///
    /// - Parameter node: The node to convert.
    /// - Returns: Escaped HTML, over several lines.
    static func html(_ node: Node) -> String { JSONText(isMarkedUp: true).text(node, "") }

    private func text(_ node: Node, _ indent: String) -> String {
        let inner = indent + Self.step
        switch node {
        case .mapping:
            let members = node.members.map { "\(inner)\(self.name($0.key)): \(self.text($0.value, inner))" }
            return members.isEmpty ? "{}" : "{\n\(members.joined(separator: ",\n"))\n\(indent)}"
        case .sequence:
            let items = node.items.map { inner + self.text($0, inner) }
            return items.isEmpty ? "[]" : "[\n\(items.joined(separator: ",\n"))\n\(indent)]"
        case .scalar(let scalar): return self.text(scalar)
        case .alias: return "null"
        }
    }

    private func name(_ key: String) -> String {
        self.isMarkedUp ? "<b>\(Markdown.escape(key.jsonQuoted))</b>" : key.jsonQuoted
    }

    /// Returns the JSON of a scalar.
    ///
    /// A quoted scalar is a string; a plain scalar follows the core schema of YAML 1.2.
    private func text(_ scalar: Node.Scalar) -> String {
        if scalar.style == .plain {
            switch scalar.string {
            case "", "~", "null": return "null"
            case "true", "false": return scalar.string
            default:
                if scalar.string.wholeMatch(of: self.number) != nil { return scalar.string }
            }
        }
        let quoted = scalar.string.jsonQuoted
        return self.isMarkedUp ? "<i>\(Markdown.escape(quoted))</i>" : quoted
    }
}
