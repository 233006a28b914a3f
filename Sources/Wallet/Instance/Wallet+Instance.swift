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
}

/// What a database is for, as it is marked.
public enum InstanceKind: String, Sendable {
    /// Development: its clock may be moved, sandbox stores may stand in for the real ones.
    case dev
    /// Real users.
    case production
}
