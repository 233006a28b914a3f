import Metrics
import Synchronization
import Tracing

/// Measures statements, and makes spans of those that are run inside of another span.
final class StatementObserver: Sendable {
    /// A statement that is known by its text.
    struct Statement: Sendable {
        let summary: StatementSummary
        let duration: Timer
    }

    private static let system = "postgresql"
    private static let label = "db_client_operation_duration_seconds"
    /// Texts are written in code, so there are few; others are measured without being remembered.
    private static let maximumStatements = 1_000

    let tracer: (any Tracer)?
    private let known = Mutex<[String: Statement]>([:])

    init(tracer: (any Tracer)?) {
        self.tracer = tracer
    }

    /// Begins to observe one statement.
    func begin(_ sql: String) -> StatementObservation {
        let statement = self.statement(sql)
        return StatementObservation(statement: statement, span: self.span(of: statement.summary))
    }

    /// The timer of statements that failed.
    static func duration(of summary: StatementSummary, failed error: String? = nil) -> Timer {
        let labels = [
            ("db.system.name", Self.system), ("db.operation.name", summary.operation),
            ("db.query.summary", summary.text),
        ]
        return Timer(label: Self.label, dimensions: labels + (error.map { [("error.type", $0)] } ?? []))
    }

    private func statement(_ sql: String) -> Statement {
        if let known = self.known.withLock({ $0[sql] }) { return known }
        let summary = StatementSummary(sql)
        let statement = Statement(summary: summary, duration: Self.duration(of: summary))
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
        let timer = type.map { StatementObserver.duration(of: self.statement.summary, failed: $0) }
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
