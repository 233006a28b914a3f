public import Foundation
import Logging
public import Postgres

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

    /// Returns whether the database answers and has the schema that this build requires.
    ///
    /// - Returns: A Boolean value that indicates whether the service can serve requests.
    public func isReady() async -> Bool {
        let state = try? await self.pool.withConnection { connection in
            try await Self.ownSchema.get().check(on: connection)
        }
        return state?.isUsable ?? false
    }

    /// The migrator of this build; created once, because it hashes every file and probes need it often.
    private static let ownSchema = Result { try Migrator(files: sqlFiles, logger: Logger(label: "ready")) }

    /// The SQL files of this build: migrations, functions, views, grants and seeds.
    public static var sqlFiles: [SQLFile] {
        EmbeddedSQL.files.map { SQLFile(path: $0.path, contents: $0.contents) }
    }

    /// Returns the time of the wallet clock, which rules and signatures use.
    ///
    /// SQL: `functions/instance/clock.sql`.
    ///
    /// - Returns: The time.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func now() async throws -> Date {
        try await self.queryOne("SELECT wallet.now() AS now") { row in
            try row.decode("now", as: Date.self)
        }
    }

    /// Returns the version of the PostgreSQL server, such as `17.2`.
    ///
    /// - Returns: The version without a distribution's additions; `nil` if the server reports no version.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func databaseVersion() async throws -> String? {
        let versions = try await self.query("SELECT current_setting('server_version') AS version") { row in
            try row.decode("version", as: String.self)
        }
        return versions.first?.split(separator: " ").first.map(String.init)
    }
}

/// The purpose of a database, as marked in it.
public enum InstanceKind: String, Sendable {
    /// Development: the clock may be moved, and sandbox stores may replace the real ones.
    case dev
    /// Real users.
    case production
}
