import Synchronization

extension Pool {
    /// Runs one statement in its own transaction.
    ///
    /// The statement is retried after 40001 and 40P01, because the server rolled it back, and after its connection
    /// proved dead before a byte was sent. If the connection is lost later, the outcome is unknown. The error then has
    /// code `unavailable`, and only an idempotency key makes a repetition safe.
    ///
    /// - Parameters:
    ///   - query: The statement.
    ///   - timeout: The time limit; `nil` uses ``ConnectionConfiguration/queryTimeout``.
    /// - Returns: The rows.
    /// - Throws: ``PostgresError``.
    @discardableResult
    public func query(_ query: Query, timeout: Duration? = nil) async throws(PostgresError) -> [Row] {
        try await self.observed(query) { () async throws(PostgresError) in
            try await self.queryAgain(query, timeout: timeout)
        }
    }

    /// Runs a statement and measures it.
    func observed(
        _ query: Query,
        _ run: () async throws(PostgresError) -> [Row]
    ) async throws(PostgresError) -> [Row] {
        let observation = self.statements.begin(query.sql)
        do throws(PostgresError) {
            let rows = try await run()
            observation.end()
            return rows
        } catch {
            observation.end(error)
            throw error
        }
    }

    private func queryAgain(_ query: Query, timeout: Duration?) async throws(PostgresError) -> [Row] {
        var retry = Retry(limit: self.configuration.maximumRetries)
        while true {
            do throws(PostgresError) {
                return try await self.queryOnce(query, timeout: timeout)
            } catch {
                guard await retry.allows(error) else { throw error }
            }
        }
    }

    private func queryOnce(_ query: Query, timeout: Duration?) async throws(PostgresError) -> [Row] {
        if let connection = self.stayedOn { return try await connection.query(query, timeout: timeout) }
        let connection = try await self.lease()
        do throws(PostgresError) {
            let rows = try await connection.query(query, timeout: timeout)
            await self.release(connection)
            return rows
        } catch {
            await self.release(connection)
            throw error
        }
    }

    /// The connection that the task is pinned to, if it belongs to this pool and is still usable.
    private var stayedOn: Connection? {
        guard let stay = PinnedConnection.current, stay.pool === self, stay.connection.isUsable else { return nil }
        return stay.connection
    }

    /// Runs a body on the thread that watches the connections, and the body's queries on one connection.
    ///
    /// This avoids thread switches between queries; on a busy machine these take longer than everything else. All
    /// pinned bodies share the thread, and other tasks get their results only when no body is running on it. The
    /// connection stays out of the pool until the body ends. If no connection is idle, or if the connection is lost,
    /// the body still runs, and its queries lease connections like all others.
    ///
    /// - Parameter body: The work to run; it must not block its thread, and must take little time apart from its
    ///   queries.
    /// - Returns: The body's result.
    public func withPinnedConnection<T: Sendable>(_ body: @Sendable () async -> T) async -> T {
        guard let connection = self.state.withLock({ $0.takeIdle() }) else { return await body() }
        let value = await withTaskExecutorPreference(connection.executor) {
            await PinnedConnection.$current.withValue(PinnedConnection(pool: self, connection: connection)) {
                await body()
            }
        }
        await self.release(connection)
        return value
    }

    /// Leases a connection for work that needs the same session throughout.
    ///
    /// Nothing is retried. If the body leaves a transaction open, the pool rolls it back. Other session state (`SET`,
    /// `LISTEN`, temporary tables) is not undone.
    ///
    /// - Parameters:
    ///   - isolation: The caller's actor.
    ///   - body: The work to do with the connection, which must not outlive the body.
    /// - Returns: The body's result.
    /// - Throws: ``PostgresError``, or the body's error.
    public func withConnection<T: Sendable>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: (Connection) async throws -> T
    ) async throws -> T {
        let connection = try await self.lease()
        do {
            let value = try await body(connection)
            await self.release(connection)
            return value
        } catch {
            await self.release(connection)
            throw error
        }
    }
}

/// The connection that a task is pinned to.
struct PinnedConnection: Sendable {
    @TaskLocal static var current: PinnedConnection?

    let pool: Pool
    let connection: Connection
}

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
