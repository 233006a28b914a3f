/// Decides whether what failed is worth another attempt, and pauses before it.
struct Retry {
    private let limit: Int
    private var conflicts = 0
    private var unsent = 0

    init(limit: Int) {
        self.limit = limit
    }

    /// Waits for the next attempt, if there is to be one.
    ///
    /// - Parameters:
    ///   - error: What the last attempt ended with.
    ///   - mayBeStale: Whether a stale prepared statement inside a transaction counts too.
    /// - Returns: Whether to try again.
    mutating func allows(_ error: PostgresError, mayBeStale: Bool = false) async -> Bool {
        if error.isUnsent, error.code == .unavailable {
            // After a restart of the server several idle connections may turn out dead one after the other.
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
