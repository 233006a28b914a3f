import Postgres

extension Wallet {
    /// Returns what the database is for; the executable asks before it serves.
    ///
    /// SQL: `views/instance/instance_facts.sql`.
    ///
    /// - Returns: The mark of the database.
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

    /// Returns the role of the service's connections where it could change the books behind the ledger's back.
    ///
    /// - Returns: The role's name, of a superuser or of one that the tables' owner lets in; nil for any other.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func roleAboveTheBooks() async throws -> String? {
        try await self.query(
            """
            SELECT r.rolname::text AS name FROM pg_catalog.pg_roles AS r
            WHERE r.rolname = current_user AND (r.rolsuper OR pg_has_role('wallet_owner', 'USAGE'))
            """
        ) { row in try row.decode("name", as: String.self) }.first
    }

    /// Returns the version of PostgreSQL, such as `15.18`.
    ///
    /// - Returns: What the server says of itself, without what its packager added.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func serverVersion() async throws -> String {
        let version = try await self.query("SELECT current_setting('server_version') AS version") { row in
            try row.decode("version", as: String.self)
        }.first ?? ""
        return String(version.prefix { $0 != " " })
    }

    /// Whether the role that connects may read what ``rehashedViolations()`` and ``violations()`` read.
    ///
    /// - Returns: False for `wallet_service` and administrators, true for auditors and owners.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func mayCheckBooks() async throws -> Bool {
        try await self.query("SELECT has_table_privilege('wallet.ledger_chain', 'SELECT') AS granted") { row in
            try row.decode("granted", as: Bool.self)
        }.first ?? false
    }
}

/// What a database is for, as it is marked.
public enum InstanceKind: String, Sendable {
    /// Development: its clock may be moved, sandbox stores may stand in for the real ones.
    case dev
    /// Real users.
    case production
}
