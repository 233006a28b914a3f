import Foundation
import Logging
import Postgres
import Stores
import Telemetry
import Wallet
import WalletAPI

/// Everything that `serve` must know, read in one go so that a start fails before anything is opened.
struct ServiceConfiguration: Sendable {
    let database: PoolConfiguration
    /// Who answers what decides nothing; nil where the primary answers all.
    var standbys: PoolConfiguration?
    /// How many connections the console and lists as CSV share.
    var operatorConnections = 2
    /// How bookings that wait together are decided together.
    let batching: BatchingConfiguration
    var http: WalletServerConfiguration
    let authentication: AuthenticationConfiguration
    let stores: StoresConfiguration
    /// How far calls to stores and key sets may reach.
    var reach = EgressPolicy.publicOnly
    let work: WorkConfiguration
    /// How operators sign in to the console; nil for no console.
    var operatorSignIn: OperatorSignIn?
    /// Where metrics are served; nil for nowhere.
    var admin: AdminConfiguration?
    /// Where spans go; nil for nowhere.
    var traces: OTLPConfiguration?
    let shutdownTimeout: Duration

    /// How many connections to the primary and to standbys there may be.
    var databaseConnections: Int {
        self.database.maximumConnections + self.operatorConnections + (self.standbys?.maximumConnections ?? 0)
    }

    /// How the console and lists as CSV reach the database: by connections of their own, opened when they are needed.
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
        case database, standbys, operatorConnections, batching, http, authentication, stores, work, operatorSignIn, admin
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

    /// Reads all keys.
    ///
    /// - Parameter settings: Where they are read from.
    /// - Throws: ``CommandError`` naming the first key that is missing or cannot be used; `requireUsable` names all.
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
    /// Reads how the database is reached.
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
        // Whatever the deadlines bring about, the server never has more than twice as many.
        pool.spareConnections = pool.maximumConnections
        let timeout = try self.integer(.databaseStatementTimeout, in: 1...600)
        pool.connection.statementTimeout = .seconds(timeout)
        // The server ends what runs too long. What is left at the deadline is a commit that waits, or no server.
        pool.connection.queryTimeout = .seconds(timeout + 1)
        pool.connection.preparedStatements = try self.flag(.databasePreparedStatements)
        return pool
    }

    /// Reads how standbys are reached: as the primary is, but nobody waits for them for long.
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

    /// Reads the level below which nothing is logged.
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

    /// Reads where and how requests are taken.
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

    /// Reads what the service does by itself, and how often.
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

    /// Reads how long requests get to finish after SIGTERM.
    func shutdownTimeout() throws(CommandError) -> Duration {
        .seconds(try self.integer(.shutdownTimeout, in: 1...3_600))
    }

    /// Reads how long requests are taken after SIGTERM, which must leave time to finish them.
    private func drainDelay() throws(CommandError) -> Int {
        let delay = try self.integer(.drainDelay, in: 0...3_599)
        guard try delay < self.integer(.shutdownTimeout, in: 1...3_600) else {
            let names = [ConfigurationKey.drainDelay, .shutdownTimeout].map(\.name)
            throw CommandError(.configuration, "\(names[0]) must be less than \(names[1]).")
        }
        return delay
    }

    /// Reads how often something is done, nil for never.
    func interval(_ key: ConfigurationKey) throws(CommandError) -> Duration? {
        let seconds = try self.integer(key, in: 0...31_536_000)
        return seconds == 0 ? nil : .seconds(seconds)
    }

    private func events() throws(CommandError) -> EventEndpoint? {
        guard let url = try self.string(.eventsURL) else { return nil }
        return try EventEndpoint(url: url, secrets: try self.required(.eventsSecret))
    }
}
