/// How far a transaction is kept from seeing others.
public struct TransactionIsolation: Hashable, Sendable {
    let clause: String

    /// What the server or the role has as its default.
    public static let serverDefault = Self(clause: "")
    /// All statements see what was committed before the first.
    public static let repeatableRead = Self(clause: " ISOLATION LEVEL REPEATABLE READ")
}

extension Pool {
    /// Runs a transaction: committed when the body returns, rolled back when it throws.
    ///
    /// After 40001 or 40P01 all of it runs again, so the body must have no effect but on the database. A connection
    /// lost before the first statement is replaced; one lost in the midst is code `unavailable`, and when that happens
    /// during COMMIT nobody knows whether it took effect.
    ///
    /// - Parameters:
    ///   - transactionIsolation: How far it is kept from seeing others.
    ///   - isReadOnly: Whether the server shall refuse writes.
    ///   - isolation: The caller's actor.
    ///   - body: The statements.
    /// - Returns: What the body returns.
    /// - Throws: ``PostgresError``, or what the body throws. Code `internal` when the body swallowed an error that had
    ///   already made the transaction void.
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
                // Whatever failed before COMMIT was sent is undone, so it may run again if there is hope.
                guard let failure = error as? PostgresError else { throw error }
                guard await retry.allows(failure, mayBeStale: true) else { throw error }
            }
        }
    }

    /// Takes a connection and begins.
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
        // To COMMIT a failed transaction is no error to the server: it says ROLLBACK.
        guard try await connection.command("COMMIT") == "COMMIT" else {
            throw PostgresError(.internal, "an error in the transaction was ignored; nothing of it was committed")
        }
    }
}
