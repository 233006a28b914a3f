import Foundation
import Logging
import Postgres
import Wallet

extension WalletApplication {
    /// Checks the database before the first request, and stores the instant from which each store's purchases grant.
    ///
    /// - Parameters:
    ///   - configuration: The application's configuration.
    ///   - logger: The logger for non-fatal anomalies.
    /// - Throws: ``CommandError`` if the database is unavailable or does not fit this build.
    func open(_ configuration: ServiceConfiguration, logger: Logger) async throws {
        do {
            try await DatabaseDoor(configuration: configuration.database.connection, logger: logger).requireOpen()
            let checks = DatabaseChecks(wallet: self.wallet, pool: self.pool, logger: logger)
            try await checks.requireUsableSchema()
            try await checks.require(.production)
            try await checks.warnOfRights()
            for (store, instant) in configuration.stores.grantsFrom.sorted(by: { $0.key < $1.key }) {
                try await self.enable(store, from: instant, logger)
            }
        } catch {
            throw CommandError.explaining(error)
        }
    }

    private func enable(_ store: String, from instant: Date, _ logger: Logger) async throws {
        let inForce = try await self.wallet.enableStore(store, grantsFrom: instant)
        guard inForce != instant else { return }
        logger.warning(
            "the store was enabled with a different grants_from, which still applies",
            metadata: ["store": "\(store)", "grants_from": "\(inForce.formatted(.iso8601))"]
        )
    }
}
