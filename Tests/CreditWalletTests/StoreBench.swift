import AsyncHTTPClient
import Foundation
import Logging
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import Postgres
import SandboxStores
import StoreSync
import Stores
import TestSupport
import Testing
import Wallet
import WalletAPI

@testable import CreditWallet
@testable import WalletDev

extension Logger {
    /// A logger that discards its messages.
    static var silent: Logger { Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() } }
}

/// The sandbox stores on loopback, and a wallet on the test's own database that can query them.
///
/// The stores post no notifications, so nothing is reported automatically.
struct StoreBench: Sendable {
    static let starter = "com.hobbyist.bookingapp.credits.starter"
    static let plan = "com.hobbyist.bookingapp.subscription.explorer"

    /// A sale of a store.
    struct Sale: Decodable, Sendable {
        let transactionID: String
        let originalTransactionID: String
        let purchaseToken: String?
        let signedTransaction: String?

        enum CodingKeys: String, CodingKey {
            case transactionID = "transaction_id"
            case originalTransactionID = "original_transaction_id"
            case purchaseToken = "purchase_token"
            case signedTransaction = "signed_transaction"
        }
    }

    let database: TestDatabase
    /// The superuser's session.
    private let root: Connection
    let wallet: Wallet
    let storeURL: String
    let certificate: Data
    private let secrets: DevSecrets
    private let clock: DevClock

    /// Runs the stores while the body runs.
    static func run(_ body: @Sendable (StoreBench) async throws -> Void) async throws {
        let database = try TestDatabase.current
        let pool = Pool(configuration: PoolConfiguration(url: try database.serviceURL), logger: .silent)
        let wallet = Wallet(pool: pool)
        for store in ["app_store", "play_store"] {
            try await wallet.enableStore(store, grantsFrom: Date(timeIntervalSince1970: 1_600_000_000))
        }
        let secrets = try StoreSettings().secrets
        let clock = DevClock()
        let stores = try await Self.stores(secrets, clock, database, products: wallet.sandboxProducts())
        let running = Task { try await stores.run() }
        defer { running.cancel() }
        let bench = StoreBench(
            database: database,
            root: try await database.connect(),
            wallet: wallet,
            storeURL: "http://127.0.0.1:\(try await stores.boundPort())",
            certificate: stores.rootCertificate,
            secrets: secrets,
            clock: clock
        )
        try await body(bench)
        await pool.close()
    }

    private static func stores(
        _ secrets: DevSecrets,
        _ clock: DevClock,
        _ database: TestDatabase,
        products: [SandboxProduct]
    ) async throws -> SandboxStores {
        var configuration = SandboxStoresConfiguration(
            port: 0,
            directory: nil,
            products: products,
            bundleID: DevStores.bundleID,
            sharedSecret: secrets.appStoreSharedSecret
        ) { offset in
            let owner = Pool(configuration: PoolConfiguration(url: database.url), logger: .silent)
            try await DevelopmentDatabase(pool: owner).setClockOffset(seconds: offset)
            await owner.close()
            clock.move(to: offset)
        }
        try DevStores(secrets: secrets, storeURL: "").configure(&configuration)
        return try SandboxStores(configuration: configuration, logger: .silent)
    }

    /// Returns clients of the stores, each with its own circuit breaker.
    func clients() throws -> StoreClients {
        try StoreClients(
            DevStores(secrets: self.secrets, storeURL: self.storeURL).configuration(root: self.certificate),
            httpClient: .shared,
            logger: .silent,
            clock: { self.clock.now }
        )
    }

    /// Returns a reconciler that queries the given stores.
    func reconciler(_ names: Set<StoreName> = [.appStore, .playStore], revenueCat: Bool = true) throws -> Reconciler {
        var clients = try self.clients()
        if !names.contains(.appStore) { clients.serverAPI = nil }
        if !names.contains(.playStore) { clients.googlePlay = nil }
        if !revenueCat { clients.revenueCat = nil }
        return Reconciler(wallet: self.wallet, stores: clients, logger: .silent)
    }

    func inbox() throws -> Inbox {
        Inbox(wallet: self.wallet, stores: try self.clients(), logger: .silent)
    }

    // MARK: The stores' controls

    func buy(
        _ product: String = StoreBench.starter,
        for user: String,
        _ members: [String: any Sendable] = [:]
    ) async throws -> Sale {
        let answer = try await self.control(
            "purchases",
            ["user_id": user, "product_id": product].merging(members) { $1 }
        )
        return try JSONDecoder().decode(Sale.self, from: answer)
    }

    @discardableResult
    func control(_ path: String, _ members: [String: any Sendable] = [:]) async throws -> Data {
        var request = HTTPClientRequest(url: "\(self.storeURL)/sandbox/\(path)")
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/json")
        request.body = .bytes(ByteBuffer(bytes: try JSONSerialization.data(withJSONObject: members)))
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(20))
        let answer = try await response.body.collect(upTo: 1_048_576)
        try #require(response.status.code < 300, "\(path): \(String(buffer: answer))")
        return Data(buffer: answer)
    }

    func clearFaults() async throws {
        var request = HTTPClientRequest(url: "\(self.storeURL)/sandbox/faults")
        request.method = .DELETE
        _ = try await HTTPClient.shared.execute(request, timeout: .seconds(20))
    }

    /// Returns Google Play's fact about a sold pack.
    func playFact(of sale: Sale) async throws -> StoreFact {
        let clients = try self.clients()
        let googlePlay = try #require(clients.googlePlay)
        return try await googlePlay.product(productID: Self.starter, token: try #require(sale.purchaseToken))
    }

    // MARK: The ledger

    /// Applies RevenueCat's current data about a user.
    func applyRevenueCat(of user: String) async throws {
        let clients = try self.clients()
        for statement in try await clients.revenueCat?.statements(ofUser: user) ?? [] {
            _ = try await self.wallet.apply(statement)
        }
    }

    @discardableResult
    func query(_ query: Query) async throws -> [Row] {
        try await self.root.query(query)
    }

    func text(_ query: Query) async throws -> String? {
        try await self.query(query).first?.decode("text", as: String?.self)
    }

    func credits(of user: String) async throws -> String? {
        try await self.text(
            """
            SELECT coalesce(sum(l.remaining), 0)::text AS text FROM wallet.lots AS l
            INNER JOIN wallet.identities AS i ON l.account_id = i.account_id
            WHERE i.user_id = \(user) AND l.unit = 'credit' AND l.environment = 'production'
            """
        )
    }

    /// Returns everything that a reconciliation might change.
    func books() async throws -> String? {
        try await self.text(
            """
            SELECT md5(concat(
                (SELECT string_agg(e::text, ',' ORDER BY e.account_id, e.version, e.unit) FROM wallet.entries AS e),
                (SELECT string_agg(c::text, ',' ORDER BY c.claim_id) FROM wallet.claims AS c),
                (SELECT string_agg(s::text, ',' ORDER BY s.subscription_id) FROM wallet.subscriptions AS s),
                (SELECT string_agg(l::text, ',' ORDER BY l.lot_id) FROM wallet.lots AS l),
                (SELECT string_agg(o::text, ',' ORDER BY o.event_id) FROM wallet.outbox AS o),
                (SELECT string_agg(a::text, ',' ORDER BY a.account_id) FROM wallet.accounts AS a)
            )) AS text
            """
        )
    }

    func violations() async throws -> [String] {
        try await self.wallet.violations().map(\.invariant)
    }
}
