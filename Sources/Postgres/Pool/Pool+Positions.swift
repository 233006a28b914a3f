extension Pool {
    private struct Progress {
        let isStandby: Bool
        let replayed: WALPosition
        let received: WALPosition
    }

    /// Reads how far the server has written its log or, on a standby, received its primary's log.
    ///
    /// - Parameter limit: The time limit for the server.
    /// - Returns: The position; a server that has reached it shows everything that any client saw or did before the
    ///   call.
    /// - Throws: ``PostgresError``.
    public func position(within limit: Duration) async throws(PostgresError) -> WALPosition {
        try Self.progress(in: try await self.query(WALPosition.query, timeout: limit)).received
    }

    /// Runs one read-only statement on a standby that has replayed the log up to a position.
    ///
    /// Failures are not retried, because the caller can query the primary instead.
    ///
    /// - Parameters:
    ///   - query: The statement.
    ///   - position: The position that the standby must have reached.
    ///   - limit: The time to wait until the standby reaches the position.
    /// - Returns: The rows, and a position that covers everything the rows show; `nil` if the standby did not reach the
    ///   given position in time.
    /// - Throws: ``PostgresError``.
    public func query(
        _ query: Query,
        at position: WALPosition,
        within limit: Duration
    ) async throws(PostgresError) -> (rows: [Row], position: WALPosition)? {
        let end = ContinuousClock.now + limit
        while true {
            let connection = try await self.lease()
            do throws(PostgresError) {
                let answer = try await self.answer(query, at: position, on: connection)
                await self.release(connection)
                if let answer { return answer }
            } catch {
                await self.release(connection)
                throw error
            }
            // Sleeps without a connection, so that an unreachable position does not keep connections from other
            // queries.
            guard ContinuousClock.now < end, (try? await Task.sleep(for: .milliseconds(2))) != nil else { return nil }
        }
    }

    private func answer(
        _ query: Query,
        at position: WALPosition,
        on connection: Connection
    ) async throws(PostgresError) -> (rows: [Row], position: WALPosition)? {
        let progress = try await Self.progress(on: connection)
        guard progress.isStandby else {
            // The server was promoted. When the pool opens a connection again, another standby may answer.
            connection.close()
            throw PostgresError(.unavailable, "the server is not a standby")
        }
        guard progress.replayed >= position else { return nil }
        let rows = try await self.observed(query) { () async throws(PostgresError) in
            try await connection.query(query, timeout: .seconds(2))
        }
        return (rows, try await Self.progress(on: connection).received)
    }

    /// Reads a server's positions within 250 ms; a slower standby would delay reads more than it relieves the primary.
    private static func progress(on connection: Connection) async throws(PostgresError) -> Progress {
        try Self.progress(in: try await connection.query(WALPosition.query, timeout: .milliseconds(250)))
    }

    private static func progress(in rows: [Row]) throws(PostgresError) -> Progress {
        guard let row = rows.first else {
            throw PostgresError(.unavailable, "the standby does not stream from a primary")
        }
        let timeline: Int32 = try row.decode("timeline")
        return Progress(
            isStandby: try row.decode("is_standby"),
            replayed: WALPosition(timeline: timeline, bytes: try row.decode("replayed")),
            received: WALPosition(timeline: timeline, bytes: try row.decode("received"))
        )
    }
}
