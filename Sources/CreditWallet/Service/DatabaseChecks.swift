import CommandOutput
import Foundation
import Logging
import Postgres
import Wallet

/// Checks that the service can run on a database.
struct DatabaseChecks: Sendable {
    let wallet: Wallet
    let pool: Pool
    let logger: Logger

    /// Runs the checks of a start without changing anything.
    static func look(at configuration: ServiceConfiguration, logger: Logger) async throws {
        try await DatabaseDoor(configuration: configuration.database.connection, logger: logger).requireOpen()
        let pool = Pool(configuration: configuration.database, logger: logger)
        do {
            let checks = DatabaseChecks(wallet: Wallet(pool: pool), pool: pool, logger: logger)
            try await checks.requireUsableSchema()
            try await checks.require(.production)
            try await checks.warnOfRights()
            await pool.close()
        } catch {
            await pool.close()
            throw CommandError.explaining(error)
        }
    }

    /// Throws if this build cannot work with the schema; never changes the schema.
    func requireUsableSchema() async throws {
        let state = try await self.pool.withConnection { connection in
            try await Migrator(files: Wallet.sqlFiles, logger: self.logger).check(on: connection)
        }
        switch state {
        case .upToDate:
            return
        case .repeatablesDiffer(let paths):
            self.logger.warning(
                "functions or views are from another release; run credit-wallet migrate",
                metadata: ["paths": .array(paths.map { .string($0) })]
            )
        case .behind(let pending):
            throw Self.unmigrated(pending)
        case .databaseIsNewer(breaking: false):
            self.logger.warning("the database is newer than this release")
        case .databaseIsNewer(breaking: true):
            throw CommandError(
                .failed,
                "The database was migrated to a newer release that is incompatible with this one. Run that release."
            )
        }
    }

    private static func unmigrated(_ pending: [String]) -> CommandError {
        let state =
            pending[0].contains("0001_")
            ? "The database is not migrated"
            : "The database is behind by \(pending.count) files, the first is \(pending[0])"
        return CommandError(.unavailable, "\(state); run credit-wallet migrate.")
    }

    /// Throws if the database is marked for another purpose.
    func require(_ kind: InstanceKind) async throws {
        let found = try await self.wallet.instanceKind()
        guard found == kind else {
            throw CommandError(
                .configuration,
                "The database is marked \(found.rawValue); this command needs a \(kind.rawValue) database."
            )
        }
    }

    /// Logs a warning if the connected role could change the ledger directly.
    func warnOfRights() async throws {
        guard let role = try await self.wallet.roleAboveTheBooks() else { return }
        self.logger.warning(
            "the database role may change the books directly; connect as wallet_service",
            metadata: ["role": .string(role)]
        )
    }

    /// Throws if the database has no ledger or is not migrated, so that it is not mistaken for broken.
    ///
    /// Also throws if the login may not read the ledger.
    func requireBooks() async throws {
        do {
            let state = try await self.pool.withConnection { connection in
                try await Migrator(files: Wallet.sqlFiles, logger: self.logger).check(on: connection)
            }
            if case .behind(let pending) = state { throw Self.unmigrated(pending) }
        } catch let error as PostgresError where error.isMissingRight {
            // An auditor may read the ledger but not the list of migrations.
        }
        guard try await self.wallet.mayCheckBooks() else {
            throw CommandError(
                .configuration,
                "The database role may not read the books. Connect as a member of wallet_auditor or as the owner."
            )
        }
    }
}

/// Opens the first connection of a command, and reports immediately why it fails.
///
/// A pool retries for as long as a caller waits, but a start needs the cause.
struct DatabaseDoor: Sendable {
    private static let pause = Duration.milliseconds(250)
    /// The maximum time for retries.
    private static let patience = Duration.seconds(5)

    /// The server's messages for permanent failures.
    private static let refusals = [
        "password authentication failed", "no password supplied", "no pg_hba.conf entry", "does not exist",
        "authentication failed for user", "role \"", "is not permitted to log in", "permission denied for database",
    ]
    private static let malformed = "libpq cannot parse the database URL"

    let configuration: ConnectionConfiguration
    let logger: Logger

    /// Connects once; retries only while the server may be starting.
    ///
    /// - Throws: ``CommandError`` with the server's message. The exit code is 78 if the address is invalid, otherwise
    ///   69, because a password or role may still be set up.
    func requireOpen() async throws {
        let deadline = ContinuousClock.now + Self.patience
        while true {
            do throws(PostgresError) {
                try await Connection.connect(self.configuration, logger: self.logger).close()
                return
            } catch {
                let cause = Self.line(error.message ?? error.description)
                guard !cause.contains(Self.malformed) else {
                    throw CommandError(.configuration, "Invalid database address: \(cause)")
                }
                guard !Self.refusals.contains(where: cause.contains) else {
                    throw CommandError(.unavailable, "The database refused the connection: \(cause)")
                }
                guard ContinuousClock.now < deadline else {
                    throw CommandError(.unavailable, "The database does not respond: \(cause)")
                }
            }
            try await Task.sleep(for: Self.pause)
        }
    }

    private static func line(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "; ")
    }
}
