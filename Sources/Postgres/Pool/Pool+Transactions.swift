/// The isolation level of a transaction.
public struct TransactionIsolation: Hashable, Sendable {
    let clause: String

    /// The default of the server or of the role.
    public static let serverDefault = Self(clause: "")
    /// All statements see only data that was committed before the first statement.
    public static let repeatableRead = Self(clause: " ISOLATION LEVEL REPEATABLE READ")
}

extension Pool {
    /// Runs a transaction: commits when the body returns, rolls back when it throws.
    ///
    /// After 40001 or 40P01 the whole transaction runs again, so the body must have no effects outside the database. A
    /// connection that is lost before the first statement is replaced. If it is lost later, the error has code
    /// `unavailable`; if it is lost during COMMIT, the outcome is unknown.
    ///
    /// - Parameters:
    ///   - transactionIsolation: The isolation level.
    ///   - isReadOnly: A Boolean value that indicates whether the server refuses writes.
    ///   - isolation: The caller's actor.
    ///   - body: The statements.
    /// - Returns: The body's result.
    /// - Throws: ``PostgresError``, or the body's error. The code is `internal` if the body ignored an error that had
    ///   aborted the transaction.
    public func withTransaction<T: Sendable>(
        _ transactionIsolation: TransactionIsolation = .serverDefault,
        isReadOnly: Bool = false,
        isolation: isolated (any Actor)? = #isolation,
        _ body: (Connection) async throws -> T
    ) async throws -> T {
        let begin = "BEGIN" + transactionIsolation.clause + (isReadOnly ? " READ ONLY" : "")
        var retry = Retry(limit: self.configuration.maximumRetries)
        while true {
            let connection = try await self.leaseInTransaction(begin)
            do {
                let value = try await body(connection)
                try await self.commit(connection)
                await self.release(connection)
                return value
            } catch {
                await self.release(connection)
                // A transaction that failed before COMMIT was sent had no effect, so it may run again if a retry can
                // succeed.
                guard let failure = error as? PostgresError else { throw error }
                guard await retry.allows(failure, mayBeStale: true) else { throw error }
            }
        }
    }

    /// Leases a connection and begins a transaction.
    private func leaseInTransaction(_ begin: String) async throws(PostgresError) -> Connection {
        var retry = Retry(limit: 0)
        while true {
            let connection = try await self.lease()
            do throws(PostgresError) {
                _ = try await connection.command(begin)
                return connection
            } catch {
                await self.release(connection)
                guard await retry.allows(error) else { throw error }
            }
        }
    }

    private func commit(_ connection: Connection) async throws(PostgresError) {
        // COMMIT of a failed transaction is not an error; the server then answers ROLLBACK.
        guard try await connection.command("COMMIT") == "COMMIT" else {
            throw PostgresError(.internal, "an error in the transaction was ignored; the transaction was not committed")
        }
    }
}
