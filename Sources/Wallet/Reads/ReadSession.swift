import Postgres
import Synchronization

/// The reads of one request: whether they may use standbys, and how far the client has seen the books.
public final class ReadSession: Sendable {
    private struct State {
        var seen: WALPosition?
        var askedPrimary: Bool
    }

    @TaskLocal static var current: ReadSession?

    /// The position up to which the client had seen the books; `nil` if it is unknown.
    private let start: WALPosition?
    /// A Boolean value that indicates whether the request only reads.
    public let isRead: Bool
    private let state: Mutex<State>

    /// Creates a session.
    ///
    /// - Parameters:
    ///   - token: The token from the client's last answer (see ``Standbys/token(after:)``); any other text requests the
    ///     newest state.
    ///   - isRead: A Boolean value that indicates whether the request only reads.
    public init(after token: String, isRead: Bool) {
        self.start = WALPosition(text: token)
        self.isRead = isRead
        self.state = Mutex(State(seen: nil, askedPrimary: !isRead))
    }

    /// Runs a body whose reads may use standbys.
    ///
    /// - Parameter body: The work to run.
    /// - Returns: The body's result.
    /// - Throws: The body's error.
    public func run<T>(_ body: () async throws -> T) async rethrows -> T {
        try await Self.$current.withValue(self, operation: body)
    }

    /// The position up to which the client has seen the books by now; `nil` if it is unknown or the request has used
    /// the primary.
    ///
    /// The session's next read shows at least this state, so that one answer never mixes older and newer rows.
    var position: WALPosition? {
        self.state.withLock { state in
            guard !state.askedPrimary, let start = self.start else { return nil }
            return max(start, state.seen ?? start)
        }
    }

    /// A Boolean value that indicates whether the request has read from the primary, or may have changed it.
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
