package import AsyncHTTPClient
package import Foundation
import HTTPTypes
package import Hummingbird
package import Logging
package import Postgres
import SandboxStores
package import ServiceLifecycle
import Synchronization
import Telemetry
import Wallet
package import WalletAPI
package import WalletConsole

/// The wallet and the sandbox stores on a private cluster, in one process.
package struct DevStack: Sendable {
    static let demoUser = "demo-user"
    /// The user of the printed commands; the demo page does not use this user.
    static let tourUser = "demo-terminal"

    let directory: DataDirectory
    let secrets: DevSecrets
    let cluster: PrivateCluster
    /// The pooler between the service and the cluster; nil for none.
    let pooler: PrivatePooler?
    /// The port of the metrics; nil if they are disabled.
    let metricsPort: Int?
    let logger: Logger
    let clock = DevClock()

    /// Creates a stack.
    ///
    /// - Parameters:
    ///   - directory: The directory of all data.
    ///   - secrets: The directory's secrets.
    ///   - cluster: The running PostgreSQL server.
    ///   - pooler: The pooler between the service and the cluster; nil for none.
    ///   - metricsPort: The port of the metrics; nil if they are disabled.
    ///   - logger: The logger.
    package init(
        directory: DataDirectory,
        secrets: DevSecrets,
        cluster: PrivateCluster,
        pooler: PrivatePooler?,
        metricsPort: Int?,
        logger: Logger
    ) {
        self.directory = directory
        self.secrets = secrets
        self.cluster = cluster
        self.pooler = pooler
        self.metricsPort = metricsPort
        self.logger = logger
    }

    /// Prepares the database and the stores.
    ///
    /// - Parameters:
    ///   - httpPort: The wallet's port; the check of each request's host needs it before the server listens.
    ///   - storePort: The port of the sandbox stores.
    ///   - httpClient: The client for the demo page's calls to the stores.
    ///   - assemble: A closure that assembles the wallet and returns its services, as `serve` does.
    /// - Returns: All services in their start order.
    /// - Throws: An error of any part.
    package func services(
        httpPort: Int,
        storePort: Int,
        httpClient: HTTPClient,
        assemble: (DevWallet) async throws -> [any Service]
    ) async throws -> [any Service] {
        let migrator = try Migrator(files: Wallet.sqlFiles, logger: self.logger)
        _ = try await migrator.migrate(url: self.cluster.url(role: "postgres"))
        let owner = self.ownerPool()
        let database = DevelopmentDatabase(pool: owner)
        try await database.mark()
        try await database.seed()
        try await DevStores.enable(in: Wallet(pool: owner))

        let stores = try await self.stores(port: storePort, database: database, catalogue: Wallet(pool: owner))
        try await self.moveClock(of: database, to: await stores.clockOffset())
        let (ports, listening) = AsyncStream.makeStream(of: Int.self)
        let demo = DemoRoutes(
            issuers: DevIssuers(secrets: self.secrets),
            database: database,
            walletURL: "http://127.0.0.1:\(httpPort)",
            storeURL: "http://127.0.0.1:\(storePort)",
            httpClient: httpClient
        )
        let wallet = self.wallet(httpPort: httpPort, stores: stores, demo: demo) { port in
            await stores.post(to: DevStores.receivers(port: port))
            listening.yield(port)
        }
        let before: [any Service] = [self.cluster] + (self.pooler.map { [$0] } ?? [])
        let announcement = DevAnnouncement(stack: self, stores: stores, ports: ports)
        return before + [owner, stores] + (try await assemble(wallet)) + [announcement]
    }

    /// Returns a pool with the superuser's connections, for the seeds and the clock.
    private func ownerPool() -> Pool {
        var configuration = PoolConfiguration(url: self.cluster.url(role: "postgres"))
        configuration.name = "owner"
        configuration.maximumConnections = 2
        return Pool(configuration: configuration, logger: self.logger)
    }

    private func stores(port: Int, database: DevelopmentDatabase, catalogue: Wallet) async throws -> SandboxStores {
        var configuration = SandboxStoresConfiguration(
            port: port,
            directory: self.directory.stores,
            products: try await catalogue.sandboxProducts(),
            bundleID: DevStores.bundleID,
            sharedSecret: self.secrets.appStoreSharedSecret
        ) { offset in
            try await self.moveClock(of: database, to: offset)
            try await database.seedClasses()
        }
        configuration.catalogue = { try await catalogue.sandboxProducts() }
        try DevStores(secrets: self.secrets, storeURL: "").configure(&configuration)
        return try SandboxStores(configuration: configuration, logger: self.logger)
    }

    private func moveClock(of database: DevelopmentDatabase, to offset: Int) async throws {
        try await database.setClockOffset(seconds: offset)
        self.clock.move(to: offset)
    }

    private func wallet(
        httpPort: Int,
        stores: SandboxStores,
        demo: DemoRoutes,
        onListening: @escaping @Sendable (Int) async -> Void
    ) -> DevWallet {
        var database = PoolConfiguration(url: self.pooler?.serviceURL ?? self.cluster.url(role: "wallet_service"))
        database.connection.preparedStatements = self.pooler == nil
        database.minimumConnections = 1
        database.maximumConnections = 10
        // A busy laptop may take long, and nothing is gained if it refuses what it is asked.
        database.acquireTimeout = .seconds(60)
        var http = WalletServerConfiguration()
        http.port = httpPort
        http.operatorLimits.dailyAmount = 1_000_000_000
        http.corsOrigins = ["*"]
        http.hasReference = true
        let devStores = DevStores(secrets: self.secrets, storeURL: demo.storeURL)
        return DevWallet(
            database: database,
            http: http,
            issuers: demo.issuers.all,
            stores: devStores.configuration(root: stores.rootCertificate),
            console: self.console(httpPort: httpPort),
            requestLog: DevRequestLog(),
            clock: { self.clock.now },
            local: LocalRequests<AppRequestContext>(
                port: { httpPort },
                pages: .local,
                takesAnyBody: DemoRoutes.isForm
            ),
            additions: demo.add,
            onListening: onListening
        )
    }

    /// Returns the configuration of the console with one-click sign-in.
    private func console(httpPort: Int) -> ConsoleConfiguration {
        var console = ConsoleConfiguration(
            signIn: .oneClick(ConsoleOperator(id: "demo-operator", name: "Demo operator", right: .admin)),
            secret: Array(self.secrets.operatorToken.utf8),
            apiURL: "http://127.0.0.1:\(httpPort)"
        )
        console.isSecure = false
        return console
    }
}

/// The wallet that `dev` serves, for the composition root to assemble.
package struct DevWallet: Sendable {
    /// The service's connections.
    package let database: PoolConfiguration
    /// The addresses and limits of the server.
    package let http: WalletServerConfiguration
    /// The issuers of users and of operators.
    package let issuers: [IssuerConfiguration]
    /// The sandbox stores, in place of the vendors'.
    package let stores: StoresConfiguration
    /// The console with one-click sign-in.
    package let console: ConsoleConfiguration
    /// The log of requests for a person at a terminal.
    package let requestLog: any RequestObserver
    /// The clock that the sandbox stores move.
    package let clock: @Sendable () -> Date
    /// The middleware that refuses requests from other origins than this machine's programs.
    package let local: any MiddlewareProtocol<Request, Response, AppRequestContext>
    /// A closure that adds the demo's routes.
    package let additions: @Sendable (Router<AppRequestContext>) -> Void
    /// A closure that must be called with the port once the server accepts requests.
    package let onListening: @Sendable (Int) async -> Void
}

/// The clock of a `dev` directory: the machine's clock plus an offset.
///
/// The sandbox stores change the offset together with the database's clock.
final class DevClock: Sendable {
    private let offset = Mutex<Int>(0)

    var now: Date { Date().addingTimeInterval(TimeInterval(self.offset.withLock { $0 })) }

    func move(to seconds: Int) {
        self.offset.withLock { $0 = seconds }
    }
}

/// Prints a readable line for each request to the wallet of a `dev`, such as
/// `14:03:11  409 POST   /bookings  class-full  12 ms`.
///
/// Paths are printed without queries. Requests for the demo page's own files are not printed.
private struct DevRequestLog: RequestObserver {
    private static let pages = "/demo/"

    var output = LogOutput.standardOutput

    func requestBegan(_ method: HTTPRequest.Method) {}

    func requestEnded(_ request: ObservedRequest) {
        guard request.path != "/", !request.path.hasPrefix(Self.pages) else { return }
        self.output.write(Array("\(Self.line(of: request, at: .now))\n".utf8))
    }

    static func line(of request: ObservedRequest, at instant: Date) -> String {
        let time = instant.formatted(.iso8601.time(includingFractionalSeconds: false))
        let method = request.method.rawValue.padding(toLength: 6, withPad: " ", startingAt: 0)
        let milliseconds = Int((request.duration / .milliseconds(1)).rounded())
        let parts = [
            "\(time)  \(request.status) \(method) \(Self.printable(request.path))",
            request.problem,
            "\(milliseconds) ms",
        ]
        return parts.compactMap { $0 }.joined(separator: "  ")
    }

    /// Returns the path without characters that could break the line.
    private static func printable(_ path: String) -> String {
        path.unicodeScalars.allSatisfy { (0x21...0x7E).contains($0.value) }
            ? path : path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? "?"
    }
}
