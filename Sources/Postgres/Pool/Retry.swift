/// Decides whether a failed attempt may be repeated, and pauses before the next one.
struct Retry {
    private let limit: Int
    private var conflicts = 0
    private var unsent = 0

    init(limit: Int) {
        self.limit = limit
    }

    /// Waits for the next attempt, if there will be one.
    ///
    /// - Parameters:
    ///   - error: The error of the last attempt.
    ///   - mayBeStale: A Boolean value that indicates whether to retry after a stale prepared statement, too.
    /// - Returns: A Boolean value that indicates whether to try again.
    mutating func allows(_ error: PostgresError, mayBeStale: Bool = false) async -> Bool {
        if error.isUnsent, error.code == .unavailable {
            // After a restart of the server, several idle connections may prove dead one after another.
            self.unsent += 1
            return self.unsent <= 8
        }
        guard error.code == .serialization || (mayBeStale && error.isStaleStatement) else { return false }
        guard self.conflicts < self.limit else { return false }
        self.conflicts += 1
        let pause = Duration.milliseconds(min(4 << self.conflicts, 200)) * Double.random(in: 0.5...1)
        do {
            try await Task.sleep(for: pause)
            return true
        } catch {
            return false
        }
    }
}
