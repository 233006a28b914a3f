import Postgres

extension Wallet {
    /// Returns the purpose of the database; the executable checks it before it serves requests.
    ///
    /// SQL: `views/instance/instance_facts.sql`.
    ///
    /// - Returns: The purpose with which the database is marked.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func instanceKind() async throws -> InstanceKind {
        let kinds = try await self.query("SELECT i.kind FROM wallet.instance_facts AS i") { row in
            try row.decode("kind", as: String.self)
        }
        guard let kind = kinds.first.flatMap(InstanceKind.init(rawValue:)) else {
            throw WalletError(status: 500, slug: "internal-error")
        }
        return kind
    }

    /// Returns the role of the service's connections if that role could change the books without the ledger's
    /// functions.
    ///
    /// - Returns: The name of a superuser, or of a role with the privileges of the tables' owner; `nil` for any other
    ///   role.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func roleAboveTheBooks() async throws -> String? {
        try await self.query(
            """
            SELECT r.rolname::text AS name FROM pg_catalog.pg_roles AS r
            WHERE r.rolname = current_user AND (r.rolsuper OR pg_has_role('wallet_owner', 'USAGE'))
            """
        ) { row in try row.decode("name", as: String.self) }.first
    }

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
}

/// The purpose of a database, as marked in it.
public enum InstanceKind: String, Sendable {
    /// Development: the clock may be moved, and sandbox stores may replace the real ones.
    case dev
    /// Real users.
    case production
}
