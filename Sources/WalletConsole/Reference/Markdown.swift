/// Renders the Markdown of the descriptions: paragraphs, lists, code, bold and links.
///
/// All other syntax is rendered as text.
struct Markdown {
    /// The link targets for pieces of code, such as the page for a problem's slug.
    var links: [String: String] = [:]

    /// Escapes text for HTML.
    ///
    /// - Parameter text: Any text.
    /// - Returns: The text with `&`, `<`, `>` and `"` escaped.
    static func escape(_ text: some StringProtocol) -> String {
        var result = ""
        for character in text {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            default: result.append(character)
            }
        }
        return result
    }

    /// Renders text with blocks.
    ///
    /// - Parameter text: The Markdown text.
    /// - Returns: HTML; HTML in the text is escaped.
    func html(_ text: String) -> String {
        var result = ""
        var block: [Substring] = []
        var code: [Substring]?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                if let lines = code {
                    result += "<pre tabindex=\"0\"><code>\(Self.escape(lines.joined(separator: "\n")))</code></pre>"
                    code = nil
                } else {
                    result += self.block(block)
                    (block, code) = ([], [])
                }
            } else if code != nil {
                code?.append(line)
            } else if line.allSatisfy(\.isWhitespace) {
                result += self.block(block)
                block = []
            } else {
                block.append(line)
            }
        }
        return result + self.block(block)
    }

    /// Renders text without blocks.
    ///
    /// - Parameter text: One line of Markdown.
    /// - Returns: HTML.
    func inline(_ text: some StringProtocol) -> String {
        let pieces = text.split(separator: "`", omittingEmptySubsequences: false)
        // An unpaired back-tick at the end starts no code.
        return pieces.enumerated().map { index, piece in
            index.isMultiple(of: 2) || index == pieces.count - 1 ? self.prose(piece) : self.code(String(piece))
        }.joined()
    }

    private func block(_ lines: [Substring]) -> String {
        guard let first = lines.first else { return "" }
        guard first.hasPrefix("- ") else { return "<p>\(self.inline(lines.joined(separator: "\n")))</p>" }
        var items: [String] = []
        for line in lines {
            if line.hasPrefix("- ") {
                items.append(String(line.dropFirst(2)))
            } else {
                items[items.count - 1] += "\n" + line.drop(while: \.isWhitespace)
            }
        }
        return "<ul>\(items.map { "<li>\(self.inline($0))</li>" }.joined())</ul>"
    }

    private func code(_ text: String) -> String {
        let code = "<code>\(Self.escape(text))</code>"
        return self.links[text].map { "<a href=\"\(Self.escape($0))\">\(code)</a>" } ?? code
    }

    private func prose(_ text: some StringProtocol) -> String {
        Self.escape(text)
            .replacing(/\*\*([^*]+)\*\*/) { "<strong>\($0.1)</strong>" }
            .replacing(/\[([^\]]+)\]\(((?:https?:\/\/|\/|#)[^)\s]*)\)/) { "<a href=\"\($0.2)\">\($0.1)</a>" }
    }
}
