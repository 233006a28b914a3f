import Postgres

extension WalletError {
    /// Creates an error from a database error: a refusal keeps its slug, and an outage becomes 503 with a retry delay.
    init(_ error: PostgresError) {
        if let status = error.httpStatus {
            self.init(
                status: status,
                slug: error.message ?? "refused",
                membersJSON: error.detail,
                retryAfter: status == 503 ? 1 : nil
            )
            return
        }
        switch error.code {
        case .lockTimeout: self.init(status: 503, slug: "wallet-busy", retryAfter: 2)
        case .overloaded: self.init(status: 503, slug: "overloaded", retryAfter: 1)
        case .unavailable, .closed, .serialization, .cancelled:
            self.init(status: 503, slug: "database-unavailable", retryAfter: 2)
        case .conflict: self.init(status: 409, slug: "conflict")
        case .invalid: self.init(status: 422, slug: "not-acceptable")
        default: self.init(status: 500, slug: "internal-error")
        }
    }
}

extension Wallet {
    /// Runs one statement and decodes its rows; every failure becomes a ``WalletError``.
    func query<Value>(_ query: Query, _ read: (Row) throws -> Value) async throws -> [Value] {
        ReadSession.current?.notePrimary()
        return try await self.ask(query, read)
    }

    /// Runs an authorization query; its rows are not returned to clients.
    func ask<Value>(_ query: Query, _ read: (Row) throws -> Value) async throws -> [Value] {
        do {
            return try await self.pool.query(query).map(read)
        } catch let error as PostgresError {
            throw WalletError(error)
        }
    }

    /// Runs one read-only statement: on a standby if the request allows it and a standby is recent enough, otherwise on
    /// the primary.
    func read<Value>(_ query: Query, _ read: (Row) throws -> Value) async throws -> [Value] {
        guard let rows = await self.standbys?.rows(of: query) else { return try await self.query(query, read) }
        do {
            return try rows.map(read)
        } catch let error as PostgresError {
            throw WalletError(error)
        }
    }
}
