import Metrics
import Synchronization
import Tracing

/// Measures statements, and makes spans of those that are run inside of another span.
final class StatementObserver: Sendable {
    /// A statement that is known by its text.
    struct Statement: Sendable {
        let summary: StatementSummary
        let labels: [String: String]
        let duration: Timer

        init(_ summary: StatementSummary, labels: [String: String]) {
            self.summary = summary
            self.labels = labels
            self.duration = Self.timer(of: summary, labels)
        }

        /// The timer of those that failed.
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
    /// Texts are written in code, so there are few; others are measured without being remembered.
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

/// One statement that is under way.
struct StatementObservation: Sendable {
    let statement: StatementObserver.Statement
    let span: (any Span)?
    private let start = ContinuousClock.now

    /// Notes that the statement is done.
    ///
    /// - Parameter error: What it failed with; nil where it did not.
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
