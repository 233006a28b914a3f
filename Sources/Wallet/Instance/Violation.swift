import Postgres

extension Wallet {
    /// Returns whether the role of the connections may read the views that ``rehashedViolations()`` and
    /// ``violations()`` read.
    ///
    /// - Returns: False for `wallet_service` and administrators, true for auditors and owners.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func mayCheckBooks() async throws -> Bool {
        try await self.query("SELECT has_table_privilege('wallet.ledger_chain', 'SELECT') AS granted") { row in
            try row.decode("granted", as: Bool.self)
        }.first ?? false
    }

    /// Lists every violation of every invariant; an intact database has none.
    ///
    /// SQL: `views/invariants/invariants.sql`.
    ///
    /// - Returns: The violations, at most 1,000.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func violations() async throws -> [Violation] {
        try await self.violations(
            """
            SELECT v.name, v.environment::text AS environment, v.account_id, v.version, v.detail
            FROM wallet.violations AS v
            ORDER BY v.name, v.environment, v.account_id, v.version
            LIMIT 1000
            """
        )
    }

    /// Lists the violations of every invariant in parts, so that no snapshot lasts long.
    ///
    /// Each part covers a range of accounts; the last part covers violations without an account.
    ///
    /// SQL: `views/invariants/invariants.sql`.
    ///
    /// - Parameters:
    ///   - accounts: The number of accounts in a part.
    ///   - progress: Called after each part with the number of checked accounts and the total number.
    /// - Returns: The violations, at most 1,000.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func violations(
        byAccounts accounts: Int64,
        progress: (_ done: Int64, _ total: Int64) -> Void
    ) async throws -> [Violation] {
        let ranges = try await self.query(
            "SELECT coalesce(r.first, 1) AS first, coalesce(r.last, 0) AS last FROM wallet.account_range AS r"
        ) { row in (first: try row.decode("first", as: Int64.self), last: try row.decode("last", as: Int64.self)) }
        var violations: [Violation] = []
        guard let range = ranges.first else { return violations }
        for first in stride(from: range.first, through: range.last, by: Int64.Stride(accounts)) {
            let last = min(first + accounts - 1, range.last)
            violations += try await self.violations(
                """
                SELECT v.name, v.environment::text AS environment, v.account_id, v.version, v.detail
                FROM wallet.violations AS v
                WHERE v.account_id BETWEEN \(first) AND \(last)
                LIMIT 1000
                """
            )
            guard violations.count < 1_000 else { return Array(violations.prefix(1_000)) }
            progress(last - range.first + 1, range.last - range.first + 1)
        }
        return violations
            + (try await self.violations(
                """
                SELECT v.name, v.environment::text AS environment, v.account_id, v.version, v.detail
                FROM wallet.violations AS v
                WHERE v.account_id IS NULL
                LIMIT 1000
                """
            ))
    }

    /// Runs a statement on the invariants without JIT compilation.
    ///
    /// Compiling so large a view takes ten seconds. It is off for the wallet's roles, but not for an owner.
    private func violations(_ statement: Query) async throws -> [Violation] {
        do {
            return try await self.pool.withTransaction(isReadOnly: true) { connection in
                try await connection.query("SELECT set_config('jit', 'off', TRUE)")
                return try await connection.query(statement).map(Violation.init)
            }
        } catch let error as PostgresError {
            throw WalletError(error)
        }
    }

    /// Checks every wallet and class that was changed since the last call of any instance, and counts the violations.
    ///
    /// The counts include violations found earlier that are not repaired yet; every count of an intact database is 0.
    ///
    /// The method checks some wallets at a time, each group in its own transaction, and pauses in between. After a busy
    /// hour there are many wallets to check, and bookings need the processors. ``violations(byAccounts:progress:)``
    /// detects changes that did not update the wallet.
    ///
    /// SQL: `functions/operations/check_accounts.sql`, `functions/operations/check_accounts.sql`,
    /// `views/invariants/invariants.sql`.
    ///
    /// - Returns: The counts by the invariants' names.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func invariantCounts() async throws -> [(name: String, violations: Int64)] {
        try await self.execute("SELECT wallet.note_changes() AS waiting")
        while true {
            let began = ContinuousClock.now
            guard try await self.lookAtSome() > 0 else { break }
            try await Task.sleep(for: (ContinuousClock.now - began) * 3)
        }
        return try await self.query("SELECT c.name, c.violations FROM wallet.finding_counts AS c") { row in
            (name: try row.decode("name"), violations: try row.decode("violations"))
        }
    }

    private func lookAtSome() async throws -> Int32 {
        let looked = try await self.query("SELECT wallet.check_changed_accounts(100) AS looked") { row in
            try row.decode("looked", as: Int32.self)
        }
        return looked.first ?? 0
    }
}

/// A violation of an invariant in the books.
public struct Violation: Sendable, Equatable {
    /// The violated invariant.
    public var invariant: String
    /// The environment of the affected wallets, if it is known.
    public var environment: WalletEnvironment?
    /// The affected account, if there is one.
    public var accountID: Int64?
    /// The affected ledger version, if there is one.
    public var version: Int64?
    /// A description of the violation that names no user.
    public var detail: String

    /// The violation as a line of text for the operator.
    package var line: String {
        let account = self.accountID.map { " account \($0)" } ?? ""
        let version = self.version.map { " version \($0)" } ?? ""
        let environment = self.environment?.rawValue ?? "all"
        return "\(self.invariant): \(environment)\(account)\(version): \(self.detail)"
    }
}

extension Violation {
    init(_ row: Row) throws {
        self.init(
            invariant: try row.decode("name"),
            environment: try row.decode("environment", as: String?.self).flatMap(WalletEnvironment.init(rawValue:)),
            accountID: try row.decode("account_id"),
            version: try row.decode("version"),
            detail: try row.decode("detail")
        )
    }
}
