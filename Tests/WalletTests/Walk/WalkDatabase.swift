import Foundation
import Logging
import Postgres
import TestSupport
import Wallet

extension Logger {
    /// A logger without output.
    static var silent: Logger { Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() } }
}

extension Pool {
    /// Creates a pool without logs whose tasks wait as long as a busy machine takes, so that none is refused.
    convenience init(patient url: String, connections: Int) {
        var configuration = PoolConfiguration(url: url)
        configuration.maximumConnections = connections
        configuration.acquireTimeout = .seconds(300)
        configuration.connection = ConnectionConfiguration(patient: url)
        self.init(configuration: configuration, logger: .silent)
    }
}

/// A database for several consecutive walks, with connections as the service, an administrator and the superuser.
struct WalkDatabase {
    /// The cut-over: earlier purchases are claimed but not granted.
    static let grantsFrom = Date(timeIntervalSince1970: 1_600_000_000)

    let database: TestDatabase
    let pool: Pool
    let wallet: Wallet
    /// The connection with the role wallet_service.
    let service: Connection
    /// The connection with the role wallet_admin.
    let admin: Connection
    /// The connection as the superuser.
    let root: Connection

    static func make(connections: Int = 4) async throws -> WalkDatabase {
        let database = try await TestDatabase.clone()
        // Calls on more connections queue for locks. Otherwise they wait for two seconds, as in operation.
        if connections > 4 { try await database.waitForLocks() }
        let pool = Pool(patient: try database.serviceURL, connections: connections)
        let wallet = Wallet(pool: pool)
        for store in ["app_store", "play_store"] {
            try await wallet.enableStore(store, grantsFrom: Self.grantsFrom)
        }
        let service = try await database.connect()
        try await service.query("SET ROLE wallet_service")
        let admin = try await database.connect()
        try await admin.query("SET ROLE wallet_admin")
        return WalkDatabase(
            database: database,
            pool: pool,
            wallet: wallet,
            service: service,
            admin: admin,
            root: try await database.connect()
        )
    }

    func drop() async throws {
        await self.pool.close()
        self.service.close()
        self.admin.close()
        self.root.close()
        try await self.database.drop()
    }

    func advance(_ seconds: Double) async throws {
        try await self.root.query("SELECT wallet.advance_clock(make_interval(secs => \(seconds)))")
    }

    /// Posts due expiries, and ends the bookings of unlimited plans that have ended.
    func endUnlimited() async throws {
        _ = try await self.wallet.sweep(limit: 100_000)
        _ = try await self.wallet.sweepSubscriptions(limit: 100_000)
        while try await self.wallet.endUnlimited(limit: 1_000) > 0 {}
    }

    /// Finishes the workers' tasks of earlier walks, moves the clock to half past the next whole hour, and returns that
    /// hour.
    func startOfWalk() async throws -> Date {
        while try await self.wallet.settleClasses(limit: 1_000) > 0 {}
        try await self.endUnlimited()
        let now = try await self.wallet.now()
        let hour = ((now.timeIntervalSince1970 / 3_600).rounded(.down) + 1) * 3_600
        try await self.advance(hour + 1_800 - now.timeIntervalSince1970)
        return Date(timeIntervalSince1970: hour)
    }
}

extension TestDatabase {
    /// Lets the service's statements wait for locks as long as a busy machine takes.
    fileprivate func waitForLocks() async throws {
        let connection = try await self.connect()
        for setting in ["lock_timeout", "statement_timeout"] {
            try await connection.execute(
                script: "ALTER ROLE wallet_service IN DATABASE \(Query.quoted(self.name)) SET \(setting) = '5min'"
            )
        }
        connection.close()
    }
}

/// Creates a database, runs the body, and drops the database, even if the body throws.
func withWalkDatabase<Value>(
    connections: Int = 4,
    _ body: (WalkDatabase) async throws -> Value
) async throws -> Value {
    let database = try await WalkDatabase.make(connections: connections)
    do {
        let value = try await body(database)
        try await database.drop()
        return value
    } catch {
        try await database.drop()
        throw error
    }
}
