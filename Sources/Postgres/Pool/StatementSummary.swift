/// What a statement does, in a few words without any value: `SELECT wallet.book_batch`.
struct StatementSummary: Sendable, Hashable {
    private static let beforeTarget: Set<Substring> = ["FROM", "INTO", "UPDATE", "CALL"]

    /// The first word, such as `SELECT`.
    let operation: String
    /// The operation and the first function, view or table that has a schema.
    let text: String

    /// Reads a statement's text, which holds no values: they are parameters.
    init(_ sql: String) {
        let words = sql.split(whereSeparator: \.isWhitespace)
        let operation = words.first.map { $0.prefix(while: \.isLetter).uppercased() } ?? ""
        self.operation = operation
        self.text = Self.target(words).map { "\(operation) \($0)" } ?? operation
    }

    /// What stands behind FROM and the like, or else the first function that is called.
    private static func target(_ words: [Substring]) -> Substring? {
        for (word, next) in zip(words, words.dropFirst()) where Self.beforeTarget.contains(word) {
            if let name = Self.name(next) { return name }
        }
        return words.lazy.filter { $0.contains("(") }.compactMap(Self.name).first
    }

    /// A name with a schema, without what follows it.
    private static func name(_ word: Substring) -> Substring? {
        let name = word.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == ".") }
        return name.contains(".") && name.first?.isLetter == true ? name : nil
    }
}
