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
            throw CommandError(
                .failed,
                "The database is behind by \(pending.count) files, the first \(pending[0]); run credit-wallet migrate."
            )
        case .databaseIsNewer(breaking: false):
            self.logger.warning("the database is newer than this release")
        case .databaseIsNewer(breaking: true):
            throw CommandError(.failed, "The database was migrated to a release that this one cannot work with.")
        }
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
