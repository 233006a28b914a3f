/// A short description of a statement that contains no values, such as `SELECT wallet.book_batch`.
struct StatementSummary: Sendable, Hashable {
    private static let beforeTarget: Set<Substring> = ["FROM", "INTO", "UPDATE", "CALL"]

    /// The first word, such as `SELECT`.
    let operation: String
    /// The operation and the first function, view or table that is qualified with a schema.
    let text: String

    /// Creates a summary from a statement's text; the text contains no values, because they are parameters.
    init(_ sql: String) {
        let words = sql.split(whereSeparator: \.isWhitespace)
        let operation = words.first.map { $0.prefix(while: \.isLetter).uppercased() } ?? ""
        self.operation = operation
        self.text = Self.target(words).map { "\(operation) \($0)" } ?? operation
    }

    /// Returns the name that follows FROM and similar keywords, or else the first called function.
    private static func target(_ words: [Substring]) -> Substring? {
        for (word, next) in zip(words, words.dropFirst()) where Self.beforeTarget.contains(word) {
            if let name = Self.name(next) { return name }
        }
        return words.lazy.filter { $0.contains("(") }.compactMap(Self.name).first
    }

    /// Returns the leading name of a word if the name is qualified with a schema.
    private static func name(_ word: Substring) -> Substring? {
        let name = word.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == ".") }
        return name.contains(".") && name.first?.isLetter == true ? name : nil
    }
}
