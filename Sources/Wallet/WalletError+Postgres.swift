import Postgres

extension WalletError {
    /// Translates what the database said: a refusal keeps its own name, trouble becomes 503 with a time to come again.
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
    /// Runs one statement and reads its rows, with every failure in the wallet's own terms.
    func query<Value>(_ query: Query, _ read: (Row) throws -> Value) async throws -> [Value] {
        ReadSession.current?.notePrimary()
        return try await self.ask(query, read)
    }

    /// Runs one statement whose rows nobody is shown: whether somebody may ask at all.
    func ask<Value>(_ query: Query, _ read: (Row) throws -> Value) async throws -> [Value] {
        do {
            return try await self.pool.query(query).map(read)
        } catch let error as PostgresError {
            throw WalletError(error)
        }
    }

    /// Runs one statement that only reads and decides nothing: on a standby, where the request may and one is far
    /// enough.
    func read<Value>(_ query: Query, _ read: (Row) throws -> Value) async throws -> [Value] {
        guard let rows = await self.standbys?.rows(of: query) else { return try await self.query(query, read) }
        do {
            return try rows.map(read)
        } catch let error as PostgresError {
            throw WalletError(error)
        }
    }
}
