import Metrics
import Synchronization
import Tracing

/// Measures statements, and creates spans for those that run inside another span.
final class StatementObserver: Sendable {
    /// The labels and the timer of one statement text.
    struct Statement: Sendable {
        let summary: StatementSummary
        let labels: [String: String]
        let duration: Timer

        init(_ summary: StatementSummary, labels: [String: String]) {
            self.summary = summary
            self.labels = labels
            self.duration = Self.timer(of: summary, labels)
        }

        /// Returns the timer for failed executions.
        func duration(failed error: String) -> Timer {
            Self.timer(of: self.summary, self.labels.merging(["error.type": error]) { $1 })
        }

        private static func timer(of summary: StatementSummary, _ more: [String: String]) -> Timer {
            let labels = [
                ("db.system.name", StatementObserver.system), ("db.operation.name", summary.operation),
                ("db.query.summary", summary.text),
            ]
            return Timer(label: StatementObserver.label, dimensions: labels + more.map { ($0, $1) })
        }
    }

    private static let system = "postgresql"
    private static let label = "db_client_operation_duration_seconds"
    /// The maximum number of statement texts to cache.
    ///
    /// Texts are part of the code, so there are few; further texts are measured without being cached.
    private static let maximumStatements = 1_000

    let tracer: (any Tracer)?
    private let labels: [String: String]
    private let known = Mutex<[String: Statement]>([:])

    init(labels: [String: String] = [:], tracer: (any Tracer)?) {
        self.labels = labels
        self.tracer = tracer
    }

    /// Begins to observe one statement.
    func begin(_ sql: String) -> StatementObservation {
        let statement = self.statement(sql)
        return StatementObservation(statement: statement, span: self.span(of: statement.summary))
    }

    private func statement(_ sql: String) -> Statement {
        if let known = self.known.withLock({ $0[sql] }) { return known }
        let statement = Statement(StatementSummary(sql), labels: self.labels)
        self.known.withLock { known in
            if known.count < Self.maximumStatements { known[sql] = statement }
        }
        return statement
    }

    private func span(of summary: StatementSummary) -> (any Span)? {
        guard let tracer = self.tracer, let context = ServiceContext.current else { return nil }
        let span = tracer.startSpan(summary.text, context: context, ofKind: .client)
        guard span.isRecording else { return nil }
        span.updateAttributes { attributes in
            attributes["db.system.name"] = Self.system
            attributes["db.operation.name"] = summary.operation
            attributes["db.query.summary"] = summary.text
        }
        return span
    }
}

/// The measurement of one running statement.
struct StatementObservation: Sendable {
    let statement: StatementObserver.Statement
    let span: (any Span)?
    private let start = ContinuousClock.now

    /// Records the end of the statement.
    ///
    /// - Parameter error: The error of the statement; `nil` if it succeeded.
    func end(_ error: PostgresError? = nil) {
        let type = error.map { $0.sqlState ?? $0.code.description }
        let timer = type.map(self.statement.duration(failed:))
        (timer ?? self.statement.duration).record(duration: self.start.duration(to: .now))
        guard let span = self.span else { return }
        if let type {
            span.attributes["error.type"] = type
            if let state = error?.sqlState { span.attributes["db.response.status_code"] = state }
            span.setStatus(SpanStatus(code: .error))
        }
        span.end()
    }
}

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
