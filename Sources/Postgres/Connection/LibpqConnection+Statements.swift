import CLibpq

extension LibpqConnection {
    /// - Throws: ``PostgresError``, marked as unsent if the connection was dead before the statement was sent.
    func run(_ query: Query, timeout: Duration?) throws(PostgresError) -> [Row] {
        try self.checkReady(query.sql)
        guard query.binds.count <= Int(Int16.max) * 2 + 1 else {
            throw PostgresError(.invalid, "a statement may have at most 65535 parameters")
        }
        let deadline = Deadline(after: timeout)
        guard self.configuration.preparedStatements else {
            let sent = Parameters(query.binds).withPointers { types, values, lengths, formats in
                PQsendQueryParams(
                    self.raw,
                    query.sql,
                    Int32(query.binds.count),
                    types,
                    values,
                    lengths,
                    formats,
                    1
                )
            }
            return try self.finish(sent, deadline).rows
        }
        do {
            return try self.runPrepared(query, deadline)
        } catch  where error.isStaleStatement && self.failure == nil && self.transaction == .idle {
            // The prepared statement was stale and had no effect, so prepare it again and retry once.
            return try self.runPrepared(query, deadline)
        }
    }

    /// Runs any number of statements with the simple query protocol and discards their results.
    ///
    /// - Throws: ``PostgresError`` of the first statement that fails; its `completed` counts the statements that
    ///   succeeded before.
    @discardableResult
    func run(script: String, timeout: Duration?) throws(PostgresError) -> QueryResult {
        try self.checkReady(script)
        let deadline = Deadline(after: timeout)
        return try self.finish(PQsendQuery(self.raw, script), deadline)
    }

    private func checkReady(_ sql: String) throws(PostgresError) {
        guard self.isAlive() else { throw (self.failure ?? self.lost()).unsent }
        guard !sql.utf8.contains(0) else {
            throw PostgresError(sqlState: "22021", message: "a statement must not contain a NUL character")
        }
    }

    private func runPrepared(_ query: Query, _ deadline: Deadline) throws(PostgresError) -> [Row] {
        let key = StatementCache.Key(sql: query.sql, types: query.binds.map(\.type))
        let name = try self.prepare(key, deadline)
        do {
            let sent = Parameters(query.binds).withPointers { _, values, lengths, formats in
                PQsendQueryPrepared(self.raw, name, Int32(query.binds.count), values, lengths, formats, 1)
            }
            return try self.finish(sent, deadline).rows
        } catch  where error.isStaleStatement {
            if let stale = self.statements.remove(key) { try self.deallocate(stale, deadline) }
            throw error
        }
    }

    private func prepare(_ key: StatementCache.Key, _ deadline: Deadline) throws(PostgresError) -> String {
        if let name = self.statements.name(for: key) { return name }
        let name = self.statements.newName()
        let sent = PQsendPrepare(self.raw, name, key.sql, Int32(key.types.count), key.types.map(\.rawValue))
        try self.finish(sent, deadline)
        if let evicted = self.statements.insert(key, name: name) { try self.deallocate(evicted, deadline) }
        return name
    }

    /// Deallocates a prepared statement.
    ///
    /// In a failed transaction the statement stays on the server, but its name is never used again.
    private func deallocate(_ name: String, _ deadline: Deadline) throws(PostgresError) {
        guard self.transaction != .failed else { return }
        do {
            try self.finish(PQsendQuery(self.raw, "DEALLOCATE \(name)"), deadline)
        } catch  where error.sqlState == "26000" {
            return
        }
    }

    /// Sends the remaining data and collects every result, so that the connection is ready for the next statement.
    @discardableResult
    private func finish(_ sent: Int32, _ deadline: Deadline) throws(PostgresError) -> QueryResult {
        guard sent == 1 else { throw self.sendFailure() }
        var answer = QueryResult()
        try self.flush(deadline)
        while true {
            try self.awaitResult(deadline)
            guard let result = PQgetResult(self.raw) else { break }
            defer { PQclear(result) }
            guard answer.add(result) else {
                let error = PostgresError(.internal, "COPY is not supported")
                self.abandon(error)
                throw error
            }
        }
        if PQstatus(self.raw) == CONNECTION_BAD { self.abandon(self.lost()) }
        let unconfirmed = self.takeUnconfirmed()
        guard var error = answer.error ?? unconfirmed else { return answer }
        if answer.error != nil, error.sqlState == nil { error.code = self.failure == nil ? .internal : .unavailable }
        // The server has become a standby and will not become a primary again during this session.
        if error.sqlState == "25006" { self.abandon(error) }
        throw error
    }

    private func sendFailure() -> PostgresError {
        if PQstatus(self.raw) == CONNECTION_BAD { self.abandon(self.lost()) }
        guard let failure = self.failure else { return PostgresError(.internal, Self.text(PQerrorMessage(self.raw))) }
        return failure
    }
}

/// A statement's parameters in the layout that libpq expects.
private struct Parameters {
    private let types: [UInt32]
    private let lengths: [Int32]
    private let formats: [Int32]
    private let offsets: [Int?]
    private let bytes: [UInt8]

    init(_ binds: [Query.Bind]) {
        var bytes: [UInt8] = []
        self.offsets = binds.map { bind in
            guard let value = bind.bytes else { return nil }
            defer { bytes += value }
            return bytes.count
        }
        // Adds one byte, so that an empty last value still has an address.
        self.bytes = bytes + [0]
        self.types = binds.map(\.type.rawValue)
        self.lengths = binds.map { Int32($0.bytes?.count ?? 0) }
        self.formats = Array(repeating: 1, count: binds.count)
    }

    func withPointers<T>(
        _ body: ([UInt32], [UnsafePointer<CChar>?], [Int32], [Int32]) -> T
    ) -> T {
        self.bytes.withUnsafeBytes { buffer in
            let base = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
            let values = self.offsets.map { offset in offset.flatMap { base?.advanced(by: $0) } }
            return body(self.types, values, self.lengths, self.formats)
        }
    }
}
