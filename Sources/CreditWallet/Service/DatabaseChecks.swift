import Foundation
import Logging
import Postgres
import Wallet

/// What a database must be before the service runs on it.
struct DatabaseChecks: Sendable {
    let wallet: Wallet
    let pool: Pool
    let logger: Logger

    /// Refuses a schema that this build cannot work with; never changes it.
    func requireUsableSchema() async throws {
        let state = try await self.pool.withConnection { connection in
            try await Migrator(files: Wallet.sqlFiles, logger: self.logger).check(on: connection)
        }
        switch state {
        case .upToDate:
            return
        case .repeatablesDiffer(let paths):
            self.logger.warning(
                "functions or views are those of another release",
                metadata: ["paths": .array(paths.map { .string($0) })]
            )
        case .behind(let pending):
            throw Self.unmigrated(pending)
        case .databaseIsNewer(breaking: false):
            self.logger.warning("the database is newer than this release")
        case .databaseIsNewer(breaking: true):
            throw CommandError(.failed, "The database was migrated to a release that this one cannot work with.")
        }
    }

    /// Says so where the service is connected as somebody who could change the books behind the ledger's back.
    func warnOfRights() async throws {
        guard let role = try await self.wallet.roleAboveTheBooks() else { return }
        self.logger.warning(
            "the service could change the books; connect as wallet_service",
            metadata: ["role": .string(role)]
        )
    }

    /// Refuses a database that has no books, or those of another release, before somebody takes them for broken, and a
    /// login that may not read them.
    func requireBooks() async throws {
        do {
            let state = try await self.pool.withConnection { connection in
                try await Migrator(files: Wallet.sqlFiles, logger: self.logger).check(on: connection)
            }
            if case .behind(let pending) = state { throw Self.unmigrated(pending) }
        } catch let error as PostgresError where error.isMissingRight {
            // An auditor may read the books and not the migrations.
        }
        guard try await self.wallet.mayCheckBooks() else {
            throw CommandError(
                .configuration,
                "This login may not read the books. verify connects as a member of wallet_auditor, or as the owner."
            )
        }
    }

    /// Does what a start does before it listens, and changes nothing.
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

    private static func unmigrated(_ pending: [String]) -> CommandError {
        let state =
            pending[0].contains("0001_")
            ? "The database is not migrated"
            : "The database is behind by \(pending.count) files, the first \(pending[0])"
        return CommandError(.unavailable, "\(state); run credit-wallet migrate.")
    }

    /// Refuses a database that is marked for something else.
    func require(_ kind: InstanceKind) async throws {
        let found = try await self.wallet.instanceKind()
        guard found == kind else {
            throw CommandError(
                .configuration,
                "The database is marked \(found.rawValue); this needs a \(kind.rawValue) one."
            )
        }
    }
}
