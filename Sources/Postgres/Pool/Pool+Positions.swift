extension Pool {
    private struct Progress {
        let isStandby: Bool
        let replayed: WALPosition
        let received: WALPosition
    }

    /// Asks how far the server has written its log, or replayed its primary's.
    ///
    /// - Parameter limit: How long the server may take.
    /// - Returns: The position; what anybody saw or did before is visible from there on.
    /// - Throws: ``PostgresError``.
    public func position(within limit: Duration) async throws(PostgresError) -> WALPosition {
        try Self.progress(in: try await self.query(WALPosition.query, timeout: limit)).received
    }

    /// Runs one statement that only reads, on a standby that has come as far as a position.
    ///
    /// Nothing is retried: the caller can ask the primary instead.
    ///
    /// - Parameters:
    ///   - query: The statement.
    ///   - position: What must be visible.
    ///   - limit: How long to wait for it.
    /// - Returns: The rows, and a position from which on all that they show is visible; nil where the server did not come
    ///   so far in time.
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
            // Without a connection: a position that is never reached takes none from those who could be answered.
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
            // It was promoted since; where the connection is opened again, another standby may answer.
            connection.close()
            throw PostgresError(.unavailable, "the server is no standby")
        }
        guard progress.replayed >= position else { return nil }
        let rows = try await self.observed(query) { () async throws(PostgresError) in
            try await connection.query(query, timeout: .seconds(2))
        }
        return (rows, try await Self.progress(on: connection).received)
    }

    /// A server that takes longer than this to say where it is would hold up more than it takes off the primary.
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
