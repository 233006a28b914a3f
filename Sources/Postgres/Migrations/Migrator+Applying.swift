import Logging

extension Migrator {
    /// Applies what is missing.
    ///
    /// - Parameter url: The database, as a role that may create what the files create.
    /// - Returns: What was applied by this call.
    /// - Throws: ``MigrationError``, or ``PostgresError`` when the database cannot be reached.
    public func migrate(url: String) async throws -> MigrationReport {
        var configuration = ConnectionConfiguration(url: url)
        configuration.queryTimeout = nil
        let connection = try await Connection.connect(configuration, logger: self.logger)
        defer { connection.close() }
        return try await self.migrate(on: connection)
    }

    /// Applies what is missing, on a connection with no transaction open and no limit to its statements.
    ///
    /// - Parameter connection: The connection.
    /// - Returns: What was applied by this call.
    /// - Throws: ``MigrationError``; what was applied before the failing file stays.
    public func migrate(on connection: Connection) async throws -> MigrationReport {
        var report = MigrationReport()
        try await self.locked(connection) {
            try await connection.execute(script: Self.bookkeeping)
            try self.refuseNewer(try await self.applied(connection))
        }
        for migration in self.migrations where try await self.apply(migration, connection) {
            report.migrations.append(migration.file.path)
        }
        report.repeatables = try await self.applyRepeatables(connection)
        return report
    }

    /// Runs steps in a transaction that no other migrator runs at the same time.
    private func locked<T>(_ connection: Connection, _ body: () async throws -> T) async throws -> T {
        // Waiting for other migrators may take as long as it takes, whatever the role's limits are. Files name what
        // they mean with its schema, so that nothing of the same name that somebody put in `public` is taken for it.
        try await connection.execute(
            script: """
                BEGIN; SET LOCAL search_path = pg_catalog, pg_temp; SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0;
                SET LOCAL idle_in_transaction_session_timeout = 0;
                SELECT pg_advisory_xact_lock(\(Self.lockKey));
                SET LOCAL lock_timeout = \(self.lockTimeout.milliseconds)
                """
        )
        do {
            let value = try await body()
            try await connection.execute(script: "COMMIT")
            return value
        } catch {
            // The first error is the one to report; a connection that cannot roll back is rolled back by its end.
            do { try await connection.execute(script: "ROLLBACK") } catch { connection.close() }
            throw error
        }
    }

    private func apply(_ migration: Migration, _ connection: Connection) async throws -> Bool {
        try await self.locked(connection) {
            let inserted = try await connection.query(
                """
                INSERT INTO wallet.migrations (id, name, sha256, breaking)
                VALUES (\(Int32(migration.id)), \(migration.name), \(migration.sha256), \(migration.isBreaking))
                ON CONFLICT (id) DO NOTHING RETURNING id
                """
            )
            guard !inserted.isEmpty else {
                try self.verify(migration, try await self.applied(connection))
                return false
            }
            try await self.run(migration.file, connection)
            self.logger.info("migration applied", metadata: ["file": "\(migration.file.path)"])
            return true
        }
    }

    private func applyRepeatables(_ connection: Connection) async throws -> [String] {
        var attempts = 0
        while true {
            do {
                return try await self.applyRepeatablesOnce(connection)
            } catch let error as MigrationError where error.cause.map(Self.isRaceForRole) == true && attempts < 10 {
                // Nothing was kept, so once more.
                attempts += 1
                try await Task.sleep(for: .milliseconds(50) * Double.random(in: 0.5...2))
            }
        }
    }

    /// Reports that another database's migrator altered the same role.
    ///
    /// Roles belong to the whole cluster, and no lock does: to alter one that somebody alters is an internal error
    /// ("tuple concurrently updated"), to give one its first setting at once a duplicate key of the catalogue.
    private static func isRaceForRole(_ cause: PostgresError) -> Bool {
        cause.sqlState == "XX000" || cause.constraint == "pg_db_role_setting_databaseid_rol_index"
    }

    private func applyRepeatablesOnce(_ connection: Connection) async throws -> [String] {
        try await self.locked(connection) {
            let applied = try await self.appliedRepeatables(connection)
            guard !self.changedRepeatables(applied).isEmpty else { return [] }
            // Bodies may name what a later file brings.
            try await connection.execute(script: "SET LOCAL check_function_bodies = off")
            let order = try await self.runUntilAllStand(connection)
            try await connection.execute(script: "DELETE FROM wallet.repeatables")
            try await connection.query(
                """
                INSERT INTO wallet.repeatables (name, sha256)
                SELECT * FROM unnest(\(self.repeatables.map(\.file.path)), \(self.repeatables.map(\.sha256)))
                """
            )
            self.logger.info("functions, views and grants applied", metadata: ["count": "\(order.count)"])
            return order
        }
    }

    /// Runs every repeatable; one that needs what a later one brings is put off until after it.
    private func runUntilAllStand(_ connection: Connection) async throws -> [String] {
        var order: [String] = []
        var left = self.repeatables.map(\.file)
        while !left.isEmpty {
            var postponed: [SQLFile] = []
            var reason: MigrationError?
            for file in left {
                // Rights are given to what is there, so they come when all else is.
                if file.path == "grants.sql", !postponed.isEmpty {
                    postponed.append(file)
                    continue
                }
                try await connection.execute(script: "SAVEPOINT repeatable")
                do {
                    try await self.run(file, connection)
                    order.append(file.path)
                } catch let error as MigrationError where error.cause?.meansMissingObject == true {
                    try await connection.execute(script: "ROLLBACK TO SAVEPOINT repeatable")
                    reason = reason ?? error
                    postponed.append(file)
                }
                try await connection.execute(script: "RELEASE SAVEPOINT repeatable")
            }
            if let reason, postponed.count == left.count { throw reason }
            left = postponed
        }
        return order
    }

    private func run(_ file: SQLFile, _ connection: Connection) async throws {
        do throws(PostgresError) {
            try await connection.execute(script: file.contents)
        } catch {
            throw MigrationError(error, in: file)
        }
        guard connection.transaction == .open else {
            throw MigrationError(.badFiles, path: file.path, "sql/\(file.path): a file must not end its transaction")
        }
    }

    private static let lockKey = 7_308_604_896_721_170_241

    private static let bookkeeping = """
        CREATE SCHEMA IF NOT EXISTS wallet;
        CREATE TABLE IF NOT EXISTS wallet.migrations (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL,
            sha256 TEXT NOT NULL,
            breaking BOOLEAN NOT NULL,
            applied_at TIMESTAMPTZ NOT NULL DEFAULT now()
        );
        COMMENT ON TABLE wallet.migrations IS 'Which numbered migrations this database has.';
        CREATE TABLE IF NOT EXISTS wallet.repeatables (
            name TEXT PRIMARY KEY,
            sha256 TEXT NOT NULL,
            applied_at TIMESTAMPTZ NOT NULL DEFAULT now()
        );
        COMMENT ON TABLE wallet.repeatables IS 'Which functions, views and grants this database has, by checksum.'
        """
}

extension PostgresError {
    /// Whether something was named that is not there (yet).
    fileprivate var meansMissingObject: Bool {
        ["42P01", "42704", "42883", "42703"].contains(self.sqlState)
    }
}
