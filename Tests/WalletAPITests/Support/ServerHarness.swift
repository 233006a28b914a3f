import Foundation
import Hummingbird
import HummingbirdTesting
import Logging
import Postgres
import SandboxStores
import StoreSync
import Stores
import TestSupport
import Wallet
import WalletConsole
import WalletSupabase

@testable import WalletAPI

/// A closure that changes the clients of the stores.
typealias Adaptation = @Sendable (inout StoreClients) -> Void

/// Returns a change that removes one of the store clients.
func without<Client>(_ client: any WritableKeyPath<StoreClients, Client?> & Sendable) -> Adaptation {
    { $0[keyPath: client] = nil }
}

/// The HTTP layer wired as in the executable, with real tokens, and the requests of the tests.
struct ServerHarness: Sendable {
    static let operatorIssuer = "https://operators.example"
    static let otherIssuer = "https://other.example"
    static let pack = "com.hobbyist.bookingapp.credits.enthusiast"
    static let plan = "com.hobbyist.bookingapp.subscription.explorer"
    /// A product that the stores sell and the catalogue lacks.
    static let unlisted = "com.hobbyist.bookingapp.credits.unlisted"
    static let passes = ["singleVisit", "threeVisit", "fiveVisit", "tenVisit"]

    /// A test's deviations from the default setup.
    struct Options: Sendable {
        var setup = TestingSetup.router
        var receipts = RateLimit()
        var streams = StreamLimits()
        var idleTimeout = 75
        var limits = HTTPLimits()
        var corsOrigins = ["*"]
        /// The API reference that the server serves; nil for none.
        var reference: APIReference?
        var logger = Logger.silent
        /// A Boolean value that indicates whether reads may use standbys; none of them answers.
        var hasStandbys = false
        /// A change to the store clients before their first use.
        var adapt: Adaptation = { _ in }
    }

    let client: any TestClientProtocol
    let wallet: Wallet
    /// The sandbox stores that the wallet queries; nil without stores.
    let stores: SandboxStores?
    /// The port of the stores; nil without stores.
    let storePort: Int?
    /// The inbox, which processes the messages that could not be applied at once.
    let inbox: Inbox
    /// The reader of the App Store's missed notifications; nil without stores.
    let history: NotificationHistory?

    /// Runs a test against a server without a database, for decisions made before the database is used.
    static func withoutDatabase(
        setup: TestingSetup = .router,
        idleTimeout: Int = 75,
        limits: HTTPLimits = HTTPLimits(),
        corsOrigins: [String] = ["*"],
        reference: APIReference? = nil,
        logger: Logger = .silent,
        _ test: @escaping @Sendable (ServerHarness) async throws -> Void
    ) async throws {
        var pool = PoolConfiguration(url: "postgresql://nobody@127.0.0.1:1/none")
        pool.acquireTimeout = .milliseconds(300)
        let options = Options(
            setup: setup,
            idleTimeout: idleTimeout,
            limits: limits,
            corsOrigins: corsOrigins,
            reference: reference,
            logger: logger
        )
        try await Self.serve(on: pool, options, stores: nil, test)
    }

    /// Runs a test against the suite's own database (``TestDatabase/current``) and sandbox stores.
    static func withDatabase(
        setup: TestingSetup = .router,
        receipts: RateLimit = RateLimit(),
        streams: StreamLimits = StreamLimits(),
        idleTimeout: Int = 75,
        logger: Logger = .silent,
        hasStandbys: Bool = false,
        adapt: @escaping Adaptation = { _ in },
        _ test: @escaping @Sendable (ServerHarness) async throws -> Void
    ) async throws {
        var pool = PoolConfiguration(url: try TestDatabase.current.serviceURL)
        // A busy machine may need longer than the service would wait.
        pool.acquireTimeout = .seconds(60)
        let options = Options(
            setup: setup,
            receipts: receipts,
            streams: streams,
            idleTimeout: idleTimeout,
            logger: logger,
            hasStandbys: hasStandbys,
            adapt: adapt
        )
        try await Self.serve(on: pool, options, stores: try SandboxPeers.stores(), test)
    }

    /// Runs a test with sandbox stores against a server without a database.
    static func withStoresOnly(_ test: @escaping @Sendable (ServerHarness) async throws -> Void) async throws {
        var pool = PoolConfiguration(url: "postgresql://nobody@127.0.0.1:1/none")
        pool.acquireTimeout = .milliseconds(300)
        try await Self.serve(on: pool, Options(), stores: try SandboxPeers.stores(), isStored: false, test)
    }

    private static func serve(
        on configuration: PoolConfiguration,
        _ options: Options,
        stores: SandboxStores?,
        isStored: Bool = true,
        _ test: @escaping @Sendable (ServerHarness) async throws -> Void
    ) async throws {
        let pool = Pool(configuration: configuration, logger: .silent)
        // The primary is not a standby, so it refuses to serve reads as one.
        let wallet = Wallet(
            pool: pool,
            standbys: options.hasStandbys ? Standbys(pool: pool, primary: pool, patience: .seconds(30)) : nil
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await pool.run() }
            if let stores { group.addTask { try await stores.run() } }
            let port = try await stores?.boundPort()
            if stores != nil, isStored { try await Self.enable(["app_store", "play_store"], in: wallet) }
            let changes = BalanceChanges(wallet: wallet, interval: .milliseconds(50), logger: .silent)
            let server = try await Self.server(wallet, changes, options, stores, port)
            group.addTask { try await changes.run() }
            group.addTask { try await server.streams.run() }
            try await server.buildApplication().test(options.setup) { client in
                let harness = ServerHarness(
                    client: client,
                    wallet: wallet,
                    stores: stores,
                    storePort: port,
                    inbox: server.inbox,
                    history: server.notificationHistory
                )
                if stores != nil { try await harness.holdNotificationsBack() }
                try await test(harness)
            }
            group.cancelAll()
        }
    }

    private static func enable(_ stores: [String], in wallet: Wallet) async throws {
        for store in stores {
            try await wallet.enableStore(store, grantsFrom: Date(timeIntervalSince1970: 1_500_000_000))
        }
    }

    private static func server(
        _ wallet: Wallet,
        _ changes: BalanceChanges,
        _ options: Options,
        _ stores: SandboxStores?,
        _ port: Int?
    ) async throws -> WalletServer {
        var clients = StoreClients()
        clients.receipts = SandboxPeers.receipts("http://127.0.0.1:1")
        var pushes: PushVerifier?
        if let stores, let port {
            clients = try SandboxPeers.clients(of: stores, port: port)
            pushes = try await SandboxPeers.pushes(port: port)
        }
        options.adapt(&clients)
        return WalletServer(
            configuration: WalletServerConfiguration {
                $0.receipts = options.receipts
                $0.streams = options.streams
                $0.idleTimeout = options.idleTimeout
                $0.corsOrigins = options.corsOrigins
                $0.hasReference = options.reference != nil
                $0.limits = options.limits
            },
            wallet: wallet,
            changes: changes,
            tokens: try await Self.tokens(),
            stores: clients,
            pushes: pushes,
            dialects: [SupabaseFunctions()],
            additions: { router in options.reference?.add(to: router) },
            logger: options.logger
        )
    }

    /// Returns balance changes that never notify.
    static func deadChanges() throws -> BalanceChanges {
        BalanceChanges(wallet: try Self.deadWallet(), logger: .silent)
    }

    /// Returns a wallet without a database, for code that never uses it.
    static func deadWallet() throws -> Wallet {
        Wallet(
            pool: Pool(configuration: PoolConfiguration(url: "postgresql://nobody@127.0.0.1:1/none"), logger: .silent)
        )
    }
}

extension Logger {
    static var silent: Logger { Logger(label: "silent") { _ in SwiftLogNoOpLogHandler() } }
}

extension WalletServerConfiguration {
    /// Creates a configuration that differs from the defaults.
    init(_ change: (inout Self) -> Void) {
        self.init()
        change(&self)
    }
}

extension HTTPLimits {
    /// Creates limits that differ from the defaults.
    init(_ change: (inout Self) -> Void) {
        self.init()
        change(&self)
    }
}
