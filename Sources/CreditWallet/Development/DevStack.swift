import AsyncHTTPClient
import Foundation
import HTTPTypes
import Logging
import Postgres
import SandboxStores
import ServiceLifecycle
import Stores
import Synchronization
import Telemetry
import Wallet
import WalletAPI
import WalletConsole

/// The wallet and the sandbox stores on a private cluster, in one process.
struct DevStack: Sendable {
    static let demoUser = "demo-user"
    /// The user of the printed commands; the demo page does not use this user.
    static let tourUser = "demo-terminal"
    private static let shutdownTimeout: Duration = .seconds(20)

    let directory: DataDirectory
    let secrets: DevSecrets
    let cluster: PrivateCluster
    /// The pooler between the service and the cluster; nil for none.
    let pooler: PrivatePooler?
    let metering: Metering?
    let recorder: SpanRecorder?
    let logger: Logger
    let clock = DevClock()

    /// Prepares the database, starts and announces all services, and runs until shutdown.
    ///
    /// - Parameters:
    ///   - httpPort: The wallet's port; the check of each request's host needs it before the server listens.
    ///   - storePort: The port of the sandbox stores.
    ///   - httpClient: The client for the wallet's calls to the stores.
    /// - Throws: An error of any part.
    func run(httpPort: Int, storePort: Int, httpClient: HTTPClient) async throws {
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
        var configuration = try self.configuration(
            httpPort: httpPort,
            storePort: storePort,
            root: stores.rootCertificate
        )
        try OpenFiles.fit(
            &configuration.http,
            beside: configuration.database.maximumConnections,
            logger: self.logger
        )
        let demo = DemoRoutes(
            issuers: DevIssuers(secrets: self.secrets),
            database: database,
            walletURL: "http://127.0.0.1:\(httpPort)",
            storeURL: "http://127.0.0.1:\(storePort)",
            httpClient: httpClient
        )
        let application = try await WalletApplication(
            configuration,
            httpClient: httpClient,
            logger: self.logger,
            metering: self.metering,
            recorder: self.recorder,
            requestLog: DevRequestLog(),
            clock: { self.clock.now },
            local: LocalRequests(port: { httpPort }, pages: .local, takesAnyBody: DemoRoutes.isForm),
            console: self.console(httpPort: httpPort),
            additions: demo.add,
            onListening: { port in
                await stores.post(to: DevStores.receivers(port: port))
                listening.yield(port)
            }
        )
        let announcement = DevAnnouncement(stack: self, stores: stores, ports: ports)
        let before: [any Service] = [self.cluster] + (self.pooler.map { [$0] } ?? [])
        try await ServiceGroup(
            services: before + [owner, stores] + application.services + [announcement],
            shutdownTimeout: Self.shutdownTimeout,
            logger: self.logger
        ).run()
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

    private func configuration(httpPort: Int, storePort: Int, root: Data) throws -> ServiceConfiguration {
        var database = PoolConfiguration(url: self.pooler?.serviceURL ?? self.cluster.url(role: "wallet_service"))
        database.connection.preparedStatements = self.pooler == nil
        database.minimumConnections = 1
        database.maximumConnections = 10
        let stores = DevStores(secrets: self.secrets, storeURL: "http://127.0.0.1:\(storePort)")
        return ServiceConfiguration(
            database: database,
            batching: BatchingConfiguration(),
            http: WalletServerConfiguration(
                port: httpPort,
                operatorDailyAmount: 1_000_000_000,
                corsOrigins: ["*"],
                hasReference: true
            ),
            authentication: AuthenticationConfiguration(issuers: DevIssuers(secrets: self.secrets).all),
            stores: stores.configuration(root: root),
            work: WorkConfiguration(
                sweepInterval: .seconds(5),
                sumsInterval: .seconds(5),
                reportsInterval: .seconds(5),
                studioInterval: .seconds(1),
                workInterval: .seconds(1)
            ),
            shutdownTimeout: Self.shutdownTimeout
        )
    }

    /// Returns the configuration of the console with one-click sign-in.
    private func console(httpPort: Int) -> ConsoleConfiguration {
        ConsoleConfiguration(
            signIn: .oneClick(ConsoleOperator(id: "demo-operator", name: "Demo operator", right: .admin)),
            secret: Array(self.secrets.operatorToken.utf8),
            apiURL: "http://127.0.0.1:\(httpPort)",
            isSecure: false
        )
    }
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
