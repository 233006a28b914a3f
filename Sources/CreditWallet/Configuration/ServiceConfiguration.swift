import Foundation
import Logging
import Postgres
import Stores
import WalletAPI

/// Everything that `serve` must know, read in one go so that a start fails before anything is opened.
struct ServiceConfiguration: Sendable {
    let database: PoolConfiguration
    let http: WalletServerConfiguration
    let authentication: AuthenticationConfiguration
    let appStore: AppStoreReceiptConfiguration
    let appStoreGrantsFrom: Date
    let sweepInterval: Duration?
    let shutdownTimeout: Duration
}

extension ServiceConfiguration {
    /// Reads all keys.
    ///
    /// - Parameter settings: Where they are read from.
    /// - Throws: ``CommandError`` naming the first key that is missing or cannot be used.
    init(_ settings: Settings) throws(CommandError) {
        let sweepInterval = try settings.integer(.sweepInterval, in: 0...86_400)
        self.init(
            database: try settings.database(),
            http: try settings.http(),
            authentication: AuthenticationConfiguration(issuers: try settings.issuers()),
            appStore: try settings.appStore(),
            appStoreGrantsFrom: try settings.instant(.appStoreGrantsFrom),
            sweepInterval: sweepInterval == 0 ? nil : .seconds(sweepInterval),
            shutdownTimeout: .seconds(try settings.integer(.shutdownTimeout, in: 1...3_600))
        )
    }
}

extension Settings {
    /// Reads how the database is reached.
    func database() throws(CommandError) -> PoolConfiguration {
        var pool = PoolConfiguration(url: try self.required(.databaseURL))
        pool.minimumConnections = try self.integer(.databaseMinimumConnections, in: 0...1_000)
        pool.maximumConnections = try self.integer(.databaseMaximumConnections, in: 1...1_000)
        guard pool.minimumConnections <= pool.maximumConnections else {
            let names = [ConfigurationKey.databaseMinimumConnections, .databaseMaximumConnections].map(\.name)
            throw CommandError(.configuration, "\(names[0]) must not be larger than \(names[1]).")
        }
        pool.maximumWaiters = try self.integer(.databaseMaximumWaiters, in: 0...1_000_000)
        pool.acquireTimeout = .seconds(try self.integer(.databaseAcquireTimeout, in: 1...600))
        pool.connection.queryTimeout = .seconds(try self.integer(.databaseStatementTimeout, in: 1...600))
        pool.connection.preparedStatements = try self.flag(.databasePreparedStatements)
        return pool
    }

    /// Reads the level below which nothing is logged.
    func logLevel() throws(CommandError) -> Logger.Level {
        try self.choice(.logLevel, of: Logger.Level.self)
    }

    fileprivate func http() throws(CommandError) -> WalletServerConfiguration {
        WalletServerConfiguration(
            host: try self.required(.httpHost),
            port: try self.integer(.httpPort, in: 0...65_535),
            receipts: RateLimit(quota: try self.integer(.receiptsPerMinute, in: 1...100_000), window: 60)
        )
    }

    fileprivate func appStore() throws(CommandError) -> AppStoreReceiptConfiguration {
        let configuration = AppStoreReceiptConfiguration(
            bundleIDs: Set(try self.list(.appStoreBundleIDs)),
            sharedSecret: try self.required(.appStoreSharedSecret),
            productionURL: try self.required(.appStoreProductionURL),
            sandboxURL: try self.required(.appStoreSandboxURL)
        )
        let allowsOtherHosts = try self.flag(.appStoreAllowOtherHosts)
        guard configuration.usesVendorEndpoints || allowsOtherHosts else {
            throw CommandError(
                .configuration,
                "\(ConfigurationKey.appStoreProductionURL.name) or \(ConfigurationKey.appStoreSandboxURL.name) is not "
                    + "Apple's; that needs \(ConfigurationKey.appStoreAllowOtherHosts.name)=true."
            )
        }
        return configuration
    }
}
