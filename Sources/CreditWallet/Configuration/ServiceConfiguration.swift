import Foundation
import Logging
import Postgres
import Stores
import Telemetry
import Wallet
import WalletAPI

/// The complete configuration of `serve`, read at once so that an invalid configuration fails before anything is
/// opened.
struct ServiceConfiguration: Sendable {
    let database: PoolConfiguration
    /// The standbys for reads; nil if the primary answers all requests.
    var standbys: PoolConfiguration?
    /// The number of connections that the console and CSV exports share.
    var operatorConnections = 2
    /// The settings for batches of bookings.
    let batching: BatchingConfiguration
    var http: WalletServerConfiguration
    let authentication: AuthenticationConfiguration
    let stores: StoresConfiguration
    /// The networks that calls to stores and key sets may reach.
    var reach = EgressPolicy.publicOnly
    let work: WorkConfiguration
    /// The settings for the console's sign-in; nil disables the console.
    var operatorSignIn: OperatorSignIn?
    /// The settings of the metrics endpoint; nil disables it.
    var admin: AdminConfiguration?
    /// The settings of trace export; nil disables it.
    var traces: OTLPConfiguration?
    let shutdownTimeout: Duration

    /// The maximum number of connections to the primary and the standbys.
    var databaseConnections: Int {
        self.database.maximumConnections + self.operatorConnections + (self.standbys?.maximumConnections ?? 0)
    }

    /// The pool of the console and CSV exports: separate connections that are opened on demand.
    var operatorDatabase: PoolConfiguration {
        var pool = self.database
        pool.name = "operators"
        pool.minimumConnections = 0
        pool.maximumConnections = self.operatorConnections
        return pool
    }
}

extension ServiceConfiguration {
    /// A group of keys whose mistakes are independent of those of other groups.
    enum Part: CaseIterable {
        case database, standbys, operatorConnections, batching, http, authentication, stores, work, operatorSignIn,
            admin
        case traces, logLevel

        /// Reads the group's keys.
        ///
        /// - Parameter settings: The settings to read from.
        /// - Throws: ``CommandError`` for the first key with a missing or unusable value.
        func read(_ settings: Settings) throws(CommandError) {
            switch self {
            case .database: _ = try settings.database()
            case .standbys: _ = try settings.standbys()
            case .operatorConnections: _ = try settings.integer(.databaseOperatorConnections, in: 1...100)
            case .batching: _ = try settings.batching()
            case .http: _ = try settings.http()
            case .authentication: _ = try settings.authentication()
            case .stores: _ = try settings.stores()
            case .work: _ = try settings.work()
            case .operatorSignIn: _ = try settings.operatorSignIn()
            case .admin: _ = try settings.admin()
            case .traces: _ = try settings.traces()
            case .logLevel: _ = try settings.logLevel()
            }
        }
    }

    /// Reads the configuration.
    ///
    /// - Parameter settings: The settings to read from.
    /// - Throws: ``CommandError`` for the first missing or invalid key; `requireUsable` reports all of them.
    init(_ settings: Settings) throws(CommandError) {
        self.init(
            database: try settings.database(),
            standbys: try settings.standbys(),
            operatorConnections: try settings.integer(.databaseOperatorConnections, in: 1...100),
            batching: try settings.batching(),
            http: try settings.http(),
            authentication: try settings.authentication(),
            stores: try settings.stores(),
            reach: try settings.reach(),
            work: try settings.work(),
            operatorSignIn: try settings.operatorSignIn(),
            admin: try settings.admin(),
            traces: try settings.traces(),
            shutdownTimeout: try settings.shutdownTimeout()
        )
    }
}

extension Settings {
    /// Returns the configuration of the database pool.
    func database() throws(CommandError) -> PoolConfiguration {
        var pool = PoolConfiguration(url: try self.required(.databaseURL))
        if let wallet { pool.labels = ["wallet": wallet.name] }
        pool.minimumConnections = try self.integer(.databaseMinimumConnections, in: 0...1_000)
        pool.maximumConnections = try self.integer(.databaseMaximumConnections, in: 1...1_000)
        guard pool.minimumConnections <= pool.maximumConnections else {
            let names = [ConfigurationKey.databaseMinimumConnections, .databaseMaximumConnections].map(\.name)
            throw CommandError(.configuration, "\(names[0]) must not be larger than \(names[1]).")
        }
        pool.maximumWaiters = try self.integer(.databaseMaximumWaiters, in: 0...1_000_000)
        pool.acquireTimeout = .seconds(try self.integer(.databaseAcquireTimeout, in: 1...600))
        // Timeouts may abandon connections, but the server never has more than twice the maximum.
        pool.spareConnections = pool.maximumConnections
        let timeout = try self.integer(.databaseStatementTimeout, in: 1...600)
        pool.connection.statementTimeout = .seconds(timeout)
        // PostgreSQL cancels a statement that runs too long. If the deadline still passes, a commit is waiting or the
        // server is unreachable.
        pool.connection.queryTimeout = .seconds(timeout + 1)
        pool.connection.preparedStatements = try self.flag(.databasePreparedStatements)
        return pool
    }

    /// Returns the configuration of the standby pool: like the primary's, but with a short acquire timeout.
    func standbys() throws(CommandError) -> PoolConfiguration? {
        guard let url = try self.string(.databaseReadURL) else { return nil }
        var pool = try self.database()
        pool.connection.url = url
        pool.name = "standbys"
        pool.minimumConnections = 0
        pool.acquireTimeout = .milliseconds(50)
        pool.maximumBackoff = .milliseconds(50)
        return pool
    }

    /// Returns the minimum level of logged messages.
    func logLevel() throws(CommandError) -> Logger.Level {
        try self.choice(.logLevel, of: Logger.Level.self)
    }

    fileprivate func batching() throws(CommandError) -> BatchingConfiguration {
        BatchingConfiguration(
            batchLimit: try self.integer(.bookingGroupLimit, in: 1...1_000),
            workers: try self.integer(.bookingWorkers, in: 1...100),
            queueLimit: try self.integer(.bookingQueueLimit, in: 1...1_000_000),
            patience: .seconds(try self.integer(.bookingQueuePatience, in: 1...600))
        )
    }

    fileprivate func authentication() throws(CommandError) -> AuthenticationConfiguration {
        AuthenticationConfiguration(
            issuers: try self.issuers(),
            keySets: KeySetConfiguration(reach: try self.flag(.outgoingAllowPrivate) ? .anywhere : .publicOnly),
            cachedTokens: try self.integer(.tokenCacheLimit, in: 0...10_000_000)
        )
    }

    /// Returns the configuration of the HTTP server.
    func http() throws(CommandError) -> WalletServerConfiguration {
        WalletServerConfiguration(
            host: try self.required(.httpHost),
            port: try self.integer(.httpPort, in: 0...65_535),
            receipts: RateLimit(quota: try self.integer(.receiptsPerMinute, in: 1...100_000), window: 60),
            streams: StreamLimits(total: try self.integer(.maximumStreams, in: 0...1_000_000)),
            idleTimeout: try self.integer(.httpIdleTimeout, in: 1...86_400),
            drainDelay: .seconds(try self.drainDelay()),
            reconcileMaximumGrants: try self.integer(.reconcileMaximumGrants, in: 0...1_000_000),
            operatorMaximumAmount: try self.integer(.operatorMaximumAmount, in: 0...1_000_000_000),
            operatorDailyAmount: try self.integer(.operatorDailyAmount, in: 0...1_000_000_000_000),
            corsOrigins: try self.origins(.corsOrigins),
            hasReference: try self.flag(.apiReference),
            limits: try self.limits(),
            operatorPages: try self.operatorPages()
        )
    }

    /// Returns the configuration of background work.
    fileprivate func work() throws(CommandError) -> WorkConfiguration {
        WorkConfiguration(
            sweepInterval: try self.interval(.sweepInterval),
            sumsInterval: try self.interval(.sumsInterval),
            reportsInterval: try self.interval(.reportsInterval),
            studioInterval: try self.interval(.studioInterval),
            workInterval: try self.interval(.workInterval),
            reconcileInterval: try self.interval(.reconcileInterval),
            historyInterval: try self.interval(.appStoreHistoryInterval),
            reconcileMaximumGrants: try self.integer(.reconcileMaximumGrants, in: 0...1_000_000),
            eventsKeptDays: try self.integer(.eventsKeptDays, in: 1...3_660),
            quarantineKeptDays: try self.integer(.quarantineKeptDays, in: 1...3_660),
            events: try self.events()
        )
    }

    /// Returns the time that requests have to finish after SIGTERM.
    func shutdownTimeout() throws(CommandError) -> Duration {
        .seconds(try self.integer(.shutdownTimeout, in: 1...3_600))
    }

    /// Returns the time for which requests are accepted after SIGTERM; it must be less than the shutdown timeout.
    private func drainDelay() throws(CommandError) -> Int {
        let delay = try self.integer(.drainDelay, in: 0...3_599)
        guard try delay < self.integer(.shutdownTimeout, in: 1...3_600) else {
            let names = [ConfigurationKey.drainDelay, .shutdownTimeout].map(\.name)
            throw CommandError(.configuration, "\(names[0]) must be less than \(names[1]).")
        }
        return delay
    }

    /// Returns an interval; nil if it is 0, which disables the work.
    func interval(_ key: ConfigurationKey) throws(CommandError) -> Duration? {
        let seconds = try self.integer(key, in: 0...31_536_000)
        return seconds == 0 ? nil : .seconds(seconds)
    }

    private func events() throws(CommandError) -> EventEndpoint? {
        guard let url = try self.string(.eventsURL) else { return nil }
        return try EventEndpoint(url: url, secrets: try self.required(.eventsSecret))
    }
}
