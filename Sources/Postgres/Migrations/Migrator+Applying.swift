import Logging

extension Migrator {
    /// Applies all pending migrations and all changed repeatables.
    ///
    /// - Parameter url: The URL of the database, with a role that may create the objects in the files.
    /// - Returns: The files that this call applied.
    /// - Throws: ``MigrationError``, or ``PostgresError`` if the database cannot be reached.
    public func migrate(url: String) async throws -> MigrationReport {
        var configuration = ConnectionConfiguration(url: url)
        configuration.queryTimeout = nil
        let connection = try await Connection.connect(configuration, logger: self.logger)
        defer { connection.close() }
        return try await self.migrate(on: connection)
    }

    /// Applies all pending migrations and all changed repeatables, on a connection without an open transaction and
    /// without a limit for its statements.
    ///
    /// - Parameter connection: The connection.
    /// - Returns: The files that this call applied.
    /// - Throws: ``MigrationError``; files applied before the failing file stay applied.
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

    /// Runs the body in a transaction and keeps other migrators out with an advisory lock.
    private func locked<T>(_ connection: Connection, _ body: () async throws -> T) async throws -> T {
        // Disables the role's timeouts, because the wait for other migrators has no limit. The search path excludes
        // `public`, so an object of the same name in `public` is never used by mistake; the files qualify their names
        // with a schema.
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
            // Reports the first error. If ROLLBACK fails, closing the connection rolls the transaction back.
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
                // The transaction was rolled back, so it can run again.
                attempts += 1
                try await Task.sleep(for: .milliseconds(50) * Double.random(in: 0.5...2))
            }
        }
    }

    /// Returns whether another database's migrator altered the same role at the same time.
    ///
    /// Roles belong to the whole cluster, but the advisory lock covers one database only. If two sessions alter the
    /// same role at once, PostgreSQL reports an internal error ("tuple concurrently updated"). If both add the first
    /// setting of a role, PostgreSQL reports a duplicate key in its catalogue.
    private static func isRaceForRole(_ cause: PostgresError) -> Bool {
        cause.sqlState == "XX000" || cause.constraint == "pg_db_role_setting_databaseid_rol_index"
    }

    private func applyRepeatablesOnce(_ connection: Connection) async throws -> [String] {
        try await self.locked(connection) {
            let applied = try await self.appliedRepeatables(connection)
            guard !self.changedRepeatables(applied).isEmpty else { return [] }
            // Function bodies may refer to objects that a later file creates.
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

    /// Runs every repeatable; a file that needs objects of a later file is postponed until after that file.
    private func runUntilAllStand(_ connection: Connection) async throws -> [String] {
        var order: [String] = []
        var left = self.repeatables.map(\.file)
        while !left.isEmpty {
            var postponed: [SQLFile] = []
            var reason: MigrationError?
            for file in left {
                // Grants apply to existing objects, so `grants.sql` runs after all other files.
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
    /// A Boolean value that indicates whether the statement refers to an object that does not exist (yet).
    fileprivate var meansMissingObject: Bool {
        ["42P01", "42704", "42883", "42703"].contains(self.sqlState)
    }
}
