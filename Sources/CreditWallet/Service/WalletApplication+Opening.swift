import Foundation
import Logging
import Postgres
import Wallet

extension WalletApplication {
    /// Looks at the database before the first request, and stores in it from when on each store's purchases count.
    ///
    /// - Parameters:
    ///   - configuration: What the application was made of.
    ///   - logger: Learns of what is odd and no reason to stop.
    /// - Throws: ``CommandError`` for a database that does not answer or is not what this build needs.
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
            "a store was enabled with another instant, which stays",
            metadata: ["store": "\(store)", "grants_from": "\(inForce.formatted(.iso8601))"]
        )
    }
}
