import Postgres
import Synchronization

/// What one request may read from standbys, and how far its client has seen the books.
public final class ReadSession: Sendable {
    private struct State {
        var seen: WALPosition?
        var askedPrimary: Bool
    }

    @TaskLocal static var current: ReadSession?

    /// How far the client had seen the books; nil where nobody knows.
    private let start: WALPosition?
    /// Whether the request only reads.
    public let isRead: Bool
    private let state: Mutex<State>

    /// Makes a session.
    ///
    /// - Parameters:
    ///   - token: What the client was answered last (see ``Standbys/token(after:)``); what is no such token asks for the
    ///     newest state.
    ///   - isRead: Whether the request only reads.
    public init(after token: String, isRead: Bool) {
        self.start = WALPosition(text: token)
        self.isRead = isRead
        self.state = Mutex(State(seen: nil, askedPrimary: !isRead))
    }

    /// Runs a body whose reads may go to standbys.
    ///
    /// - Parameter body: What to run.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws.
    public func run<T>(_ body: () async throws -> T) async rethrows -> T {
        try await Self.$current.withValue(self, operation: body)
    }

    /// How far the client has seen the books by now; nil where only the primary knows, or nobody.
    ///
    /// The session's next read shows at least as much, so that one answer never has older rows beside newer ones.
    var position: WALPosition? {
        self.state.withLock { state in
            guard !state.askedPrimary, let start = self.start else { return nil }
            return max(start, state.seen ?? start)
        }
    }

    /// Whether the primary has shown or changed something.
    var askedPrimary: Bool {
        self.state.withLock(\.askedPrimary)
    }

    func noteStandby(_ position: WALPosition) {
        self.state.withLock { $0.seen = max($0.seen ?? position, position) }
    }

    func notePrimary() {
        self.state.withLock { $0.askedPrimary = true }
    }
}
