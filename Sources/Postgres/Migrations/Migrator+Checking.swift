extension Migrator {
    /// An applied migration, as recorded in the database.
    struct Applied: Sendable {
        let id: Int
        let name: String
        let sha256: String
        let isBreaking: Bool
        let appliedAt: String
    }

    /// Compares a database with the files, to find out whether this program can work with it; changes nothing.
    ///
    /// - Parameter connection: A connection of a role that may read `wallet.migrations` and `wallet.repeatables`, or
    ///   execute `wallet.applied_migrations` and `wallet.applied_repeatables`.
    /// - Returns: The state of the database relative to the files.
    /// - Throws: ``MigrationError`` with code `changed`, or ``PostgresError``.
    public func check(on connection: Connection) async throws -> SchemaState {
        let applied = try await self.appliedIfAny(connection)
        let unknown = applied.filter { $0.id > self.migrations.count }
        guard unknown.isEmpty else { return .databaseIsNewer(breaking: unknown.contains(where: \.isBreaking)) }
        for migration in self.migrations { try self.verify(migration, applied) }
        let known = try await self.appliedRepeatablesIfAny(connection)
        let pending = self.pending(applied) + self.repeatables.map(\.file.path).filter { known[$0] == nil }
        guard pending.isEmpty else { return .behind(pending: pending) }
        let changed = self.changedRepeatables(known)
        return changed.isEmpty ? .upToDate : .repeatablesDiffer(paths: changed)
    }

    /// Lists the files that ``migrate(on:)`` would apply; changes nothing.
    ///
    /// - Parameter connection: The connection.
    /// - Returns: The files, in order.
    /// - Throws: ``MigrationError`` if ``migrate(on:)`` would refuse, or ``PostgresError``.
    public func dryRun(on connection: Connection) async throws -> MigrationReport {
        let applied = try await self.appliedIfAny(connection)
        try self.refuseNewer(applied)
        for migration in self.migrations { try self.verify(migration, applied) }
        let changed = self.changedRepeatables(try await self.appliedRepeatablesIfAny(connection))
        return MigrationReport(
            migrations: self.pending(applied),
            repeatables: changed.isEmpty ? [] : self.repeatables.map(\.file.path)
        )
    }

    /// Lists every migration in the files or in the database.
    ///
    /// - Parameter connection: The connection.
    /// - Returns: The migrations by number.
    /// - Throws: ``PostgresError``.
    public func status(on connection: Connection) async throws -> [MigrationStatus] {
        let applied = try await self.appliedIfAny(connection)
        let known = self.migrations.map { migration in
            let row = applied.first { $0.id == migration.id }
            return MigrationStatus(
                id: migration.id,
                name: migration.name,
                isBreaking: migration.isBreaking,
                isApplied: row != nil,
                isKnown: true,
                appliedAt: row?.appliedAt
            )
        }
        let unknown = applied.filter { $0.id > self.migrations.count }.map { row in
            MigrationStatus(
                id: row.id,
                name: row.name,
                isBreaking: row.isBreaking,
                isApplied: true,
                isKnown: false,
                appliedAt: row.appliedAt
            )
        }
        return known + unknown
    }

    /// Throws if a migration was edited after it had been applied.
    func verify(_ migration: Migration, _ applied: [Applied]) throws(MigrationError) {
        guard let row = applied.first(where: { $0.id == migration.id }), row.sha256 != migration.sha256 else { return }
        throw MigrationError(
            .changed,
            path: migration.file.path,
            "sql/\(migration.file.path) was changed after it had been applied as '\(row.name)'; write a new migration"
        )
    }

    /// Throws if the database has newer migrations than the files: older functions must not replace newer ones.
    func refuseNewer(_ applied: [Applied]) throws(MigrationError) {
        guard let newest = applied.last, newest.id > self.migrations.count else { return }
        throw MigrationError(
            .newerDatabase,
            "the database is newer than this program: it has the migration '\(newest.name)'; nothing was changed"
        )
    }

    func applied(_ connection: Connection) async throws(PostgresError) -> [Applied] {
        // A role without access to the tables uses these functions, which every migrated database has.
        let rows =
            try await Self.exists(function: "wallet.applied_migrations()", connection)
            ? try await connection.query(
                """
                SELECT m.id, m.name, m.sha256, m.breaking, m.applied_at::text
                FROM wallet.applied_migrations() AS m ORDER BY m.id
                """
            )
            : try await connection.query(
                "SELECT id, name, sha256, breaking, applied_at::text FROM wallet.migrations ORDER BY id"
            )
        var applied: [Applied] = []
        for row in rows {
            let (id, name, sha256, isBreaking, at) = try row.decode((Int, String, String, Bool, String).self)
            applied.append(Applied(id: id, name: name, sha256: sha256, isBreaking: isBreaking, appliedAt: at))
        }
        return applied
    }

    func appliedRepeatables(_ connection: Connection) async throws(PostgresError) -> [String: String] {
        var checksums: [String: String] = [:]
        let rows =
            try await Self.exists(function: "wallet.applied_repeatables()", connection)
            ? try await connection.query("SELECT r.name, r.sha256 FROM wallet.applied_repeatables() AS r")
            : try await connection.query("SELECT name, sha256 FROM wallet.repeatables")
        for row in rows {
            checksums[try row.decode("name")] = try row.decode("sha256", as: String.self)
        }
        return checksums
    }

    /// Returns the repeatables that are new, changed or removed.
    func changedRepeatables(_ applied: [String: String]) -> [String] {
        let changed = self.repeatables.filter { applied[$0.file.path] != $0.sha256 }.map(\.file.path)
        let gone = Set(applied.keys).subtracting(self.repeatables.map(\.file.path))
        return changed + gone.sorted()
    }

    private func pending(_ applied: [Applied]) -> [String] {
        let ids = Set(applied.map(\.id))
        return self.migrations.filter { !ids.contains($0.id) }.map(\.file.path)
    }

    private func appliedIfAny(_ connection: Connection) async throws(PostgresError) -> [Applied] {
        try await Self.exists("wallet.migrations", connection) ? try await self.applied(connection) : []
    }

    private func appliedRepeatablesIfAny(_ connection: Connection) async throws(PostgresError) -> [String: String] {
        try await Self.exists("wallet.repeatables", connection) ? try await self.appliedRepeatables(connection) : [:]
    }

    private static func exists(
        function: String,
        _ connection: Connection
    ) async throws(PostgresError) -> Bool {
        try await connection.query("SELECT to_regprocedure(\(function)) IS NOT NULL AS found").first?.decode("found")
            ?? false
    }

    private static func exists(_ table: String, _ connection: Connection) async throws(PostgresError) -> Bool {
        try await connection.query("SELECT to_regclass(\(table)) IS NOT NULL AS found").first?.decode("found") ?? false
    }
}
