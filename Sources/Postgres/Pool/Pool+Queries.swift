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
}
