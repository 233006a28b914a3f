/// Renders the Markdown of the descriptions and guides: headings, paragraphs, lists, tables, code, bold and links.
///
/// All other syntax is rendered as text.
struct Markdown {
    /// The link targets for pieces of code, such as the page for a problem's slug.
    var links: [String: String] = [:]
    /// The addresses of the files that links name; the text of a link to another file is rendered without the link.
    var files: [String: String] = [:]

    /// Escapes text for HTML.
    ///
    /// - Parameter text: Any text.
    /// - Returns: The text with `&`, `<`, `>` and `"` escaped.
    static func escape(_ text: some StringProtocol) -> String {
        guard text.utf8.contains(where: { [0x26, 0x3C, 0x3E, 0x22].contains($0) }) else { return String(text) }
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
        if let level = Self.level(of: first) {
            let text = first.drop { $0 == "#" }.drop(while: \.isWhitespace)
            let heading = "<h\(level) id=\"\(Self.anchor(of: text))\">\(self.inline(text))</h\(level)>"
            return heading + self.block(Array(lines.dropFirst()))
        }
        if first.hasPrefix("|"), lines.count > 1 { return self.table(lines) }
        if first.hasPrefix("- ") { return self.list(lines, "ul") { $0.hasPrefix("- ") ? $0.dropFirst(2) : nil } }
        if let number = first.prefixMatch(of: #/(\d+)\. /#)?.1 {
            return self.list(lines, "ol", " start=\"\(number)\"") { line in
                line.prefixMatch(of: #/\d+\. /#).map { line[$0.range.upperBound...] }
            }
        }
        return "<p>\(self.inline(lines.joined(separator: "\n")))</p>"
    }

    /// Returns the level of a heading; nil for another line.
    static func level(of line: Substring) -> Int? {
        line.prefixMatch(of: #/(\#{1,4}) /#).map { $0.1.count }
    }

    /// Returns the id of a heading: its letters and digits in lower case, with dashes between the words.
    static func anchor(of heading: some StringProtocol) -> String {
        heading.lowercased().split { !$0.isLetter && !$0.isNumber }.joined(separator: "-")
    }

    private func list(
        _ lines: [Substring],
        _ element: String,
        _ attributes: String = "",
        _ item: (Substring) -> Substring?
    ) -> String {
        var items: [String] = []
        for line in lines {
            if let text = item(line) {
                items.append(String(text))
            } else {
                items[items.count - 1] += "\n" + line.drop(while: \.isWhitespace)
            }
        }
        return "<\(element)\(attributes)>\(items.map { "<li>\(self.inline($0))</li>" }.joined())</\(element)>"
    }

    /// Renders a table: a line of headings, a line of dashes, and the rows.
    private func table(_ lines: [Substring]) -> String {
        func row(_ line: Substring, _ cell: String) -> String {
            let cells = line.dropFirst().split(separator: "|", omittingEmptySubsequences: false).dropLast()
            let texts = cells.map {
                "<\(cell)>\(self.inline(String($0).trimmed.drop(while: \.isWhitespace)))</\(cell)>"
            }
            return "<tr>\(texts.joined())</tr>"
        }
        let rows = lines.dropFirst(2).map { row($0, "td") }.joined()
        return "<div class=\"scroll\" tabindex=\"0\"><table><thead>\(row(lines[0], "th"))</thead>"
            + "<tbody>\(rows)</tbody></table></div>"
    }

    private func code(_ text: String) -> String {
        let code = "<code>\(Self.escape(text))</code>"
        return self.links[text].map { "<a href=\"\(Self.escape($0))\">\(code)</a>" } ?? code
    }

    private func prose(_ text: some StringProtocol) -> String {
        let escaped = Self.escape(text)
        // Most texts contain neither, and the expressions are slow.
        let hasStars = escaped.utf8.contains(UInt8(ascii: "*"))
        let bold = hasStars ? escaped.replacing(/\*\*([^*]+)\*\*/) { "<strong>\($0.1)</strong>" } : escaped
        guard bold.utf8.contains(UInt8(ascii: "[")) else { return bold }
        return bold.replacing(/\[([^\]]+)\]\(((?:https?:\/\/|\/|#)[^)\s]*)\)/) { "<a href=\"\($0.2)\">\($0.1)</a>" }
            .replacing(/\[([^\]]+)\]\(([^)\s]+\.(?:md|yaml))(#[^)\s]*)?\)/) { link in
                guard let address = self.files[String(link.2)] else { return String(link.1) }
                return "<a href=\"\(address)\(link.3 ?? "")\">\(link.1)</a>"
            }
    }
}
