import AsyncHTTPClient
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Postgres
import SandboxStores
import Stores
import TestSupport
import Testing
import Wallet
import WalletAPI

/// The HTTP layer as the executable wires it, with real tokens, and what tests say to it.
struct ServerHarness: Sendable {
    static let operatorIssuer = "https://operators.example"
    static let bundleID = "com.example.app"
    static let pack = "com.hobbyist.bookingapp.credits.enthusiast"

    let client: any TestClientProtocol
    let wallet: Wallet
    /// Where the sandbox stores listen; nil without them.
    let storePort: Int?

    /// Runs a test against a server whose database does not exist: all that is decided before the database is asked.
    static func withoutDatabase(
        setup: TestingSetup = .router,
        receipts: RateLimit = RateLimit(),
        logger: Logger = .silent,
        _ test: @escaping @Sendable (ServerHarness) async throws -> Void
    ) async throws {
        var configuration = PoolConfiguration(url: "postgresql://nobody@127.0.0.1:1/none")
        configuration.acquireTimeout = .milliseconds(300)
        try await Self.run(configuration, setup: setup, receipts: receipts, logger: logger, storePort: nil, test)
    }

    /// Runs a test against the suite's own database (``TestDatabase/current``) and sandbox stores.
    static func withDatabase(
        setup: TestingSetup = .router,
        receipts: RateLimit = RateLimit(),
        logger: Logger = .silent,
        _ test: @escaping @Sendable (ServerHarness) async throws -> Void
    ) async throws {
        let pool = PoolConfiguration(url: try TestDatabase.current.serviceURL)
        let stores = try SandboxStores(
            configuration: SandboxStoresConfiguration(
                port: 0,
                directory: nil,
                products: [SandboxProduct(storeProductID: Self.pack, alias: nil, kind: .consumable)],
                bundleID: Self.bundleID
            ),
            logger: .silent
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await stores.run() }
            let port = try await stores.boundPort()
            try await Self.run(pool, setup: setup, receipts: receipts, logger: logger, storePort: port, test)
            group.cancelAll()
        }
    }

    private static func run(
        _ configuration: PoolConfiguration,
        setup: TestingSetup,
        receipts: RateLimit,
        logger: Logger,
        storePort: Int?,
        _ test: @escaping @Sendable (ServerHarness) async throws -> Void
    ) async throws {
        let pool = Pool(configuration: configuration, logger: .silent)
        let wallet = Wallet(pool: pool)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await pool.run() }
            if storePort != nil {
                try await wallet.enableStore("app_store", grantsFrom: Date(timeIntervalSince1970: 1_500_000_000))
            }
            var stores = StoreClients()
            stores.receipts = Self.verifier(storePort)
            let server = WalletServer(
                configuration: WalletServerConfiguration(receipts: receipts),
                wallet: wallet,
                tokens: try await Self.tokens(),
                stores: stores,
                logger: logger
            )
            try await server.buildApplication().test(setup) { client in
                try await test(ServerHarness(client: client, wallet: wallet, storePort: storePort))
            }
            group.cancelAll()
        }
    }

    /// A wallet whose database does not exist, for what never asks it.
    static func deadWallet() throws -> Wallet {
        Wallet(
            pool: Pool(configuration: PoolConfiguration(url: "postgresql://nobody@127.0.0.1:1/none"), logger: .silent)
        )
    }

    static func tokens() async throws -> TokenVerifier {
        try await TokenVerifier(
            configuration: AuthenticationConfiguration(issuers: [
                IssuerConfiguration(
                    issuer: TokenForge.issuer,
                    audiences: [TokenForge.audience],
                    sharedSecret: TokenForge().secret
                ),
                IssuerConfiguration(
                    issuer: Self.operatorIssuer,
                    audiences: [TokenForge.audience],
                    purpose: .operators,
                    sharedSecret: Self.operatorForge.secret
                ),
            ]),
            httpClient: .shared,
            logger: .silent,
            now: { TokenForge.now }
        )
    }

    private static let operatorForge = TokenForge(secret: "the-operators-secret-is-another-one!")

    private static func verifier(_ storePort: Int?) -> AppStoreReceiptVerifier {
        let base = "http://127.0.0.1:\(storePort ?? 1)"
        var configuration = AppStoreReceiptConfiguration(
            bundleIDs: [Self.bundleID],
            productionURL: base + "/verifyReceipt",
            sandboxURL: base + "/sandbox/verifyReceipt"
        )
        configuration.retryDelay = .milliseconds(5)
        return AppStoreReceiptVerifier(configuration: configuration, httpClient: .shared, logger: .silent)
    }
}

extension ServerHarness {
    static func token(_ user: String) throws -> String {
        try TokenForge().shared(TokenForge.claims(subject: user))
    }

    static func operatorToken(_ actor: String = "mia") throws -> String {
        try Self.operatorForge.shared(TokenForge.claims(issuer: Self.operatorIssuer, subject: actor))
    }
}

extension Logger {
    static var silent: Logger { Logger(label: "silent") { _ in SwiftLogNoOpLogHandler() } }
}
