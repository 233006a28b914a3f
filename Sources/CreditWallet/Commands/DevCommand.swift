import ArgumentParser
import AsyncHTTPClient
import CommandOutput
import Foundation
import Logging
import Postgres
import ServiceLifecycle
import Telemetry
import WalletAPI
import WalletDev

/// `credit-wallet dev`: runs the whole system on one machine, for trials and tests.
struct DevCommand: AsyncParsableCommand {
    private static let shutdownTimeout: Duration = .seconds(20)

    static let configuration = CommandConfiguration(
        commandName: "dev",
        abstract: "Run the wallet with its own PostgreSQL and sandbox stores.",
        discussion: """
            Keeps everything in one directory: a PostgreSQL cluster, generated secrets, and the purchases of the \
            sandbox stores. If started again on the same directory, it continues with this data. Listens on loopback \
            addresses only. Once all services respond, dev.json in that directory contains the addresses and tokens.
            """
    )

    @Option(help: "The directory for all data.", completion: .directory)
    var data = "./dev-data"

    @Option(help: "Port of the wallet; 0 for a free one.")
    var httpPort = 8080

    @Option(help: "Port of the sandbox stores; 0 for a free one.")
    var storePort = 8081

    @Option(help: "Port of the metrics; 0 for a free one, none for no metrics.")
    var metricsPort: Int?

    @Flag(help: "Delete all data in the directory first: users, purchases, tokens and the clock.")
    var reset = false

    @Flag(help: "Connect to the database through pgbouncer in transaction mode.")
    var pooled = false

    func validate() throws {
        guard [self.httpPort, self.storePort, self.metricsPort ?? 0].allSatisfy((0...65_535).contains) else {
            throw ValidationError("Ports must be from 0 to 65535.")
        }
    }

    func run() async throws {
        let settings = try await Settings.loadForCommand(defaults: [.logLevel: "warning"])
        let logger = Logger.bootstrapped(level: try Logger.Level(reader: settings))
        let metering = try self.metering()
        let recorder = try OTLPConfiguration(reader: settings).map { SpanRecorder($0, logger: logger) }
        let directory = DataDirectory(self.data)
        try directory.create()
        let lock = try DirectoryLock(directory)
        try DevDescription.remove(from: directory)
        // The ports are checked before PostgreSQL starts, so that a port in use is reported immediately.
        let httpPort = try FreePort.resolve(self.httpPort, option: "--http-port")
        let storePort = try FreePort.resolve(self.storePort, option: "--store-port")
        if self.reset { try await directory.clear() }
        let secrets = try DevSecrets.loadOrCreate(in: directory)

        let cluster = try await PrivateCluster.start(in: directory, password: secrets.databasePassword)
        do {
            let calls = HTTPClient.Configuration.outgoing(tracer: SpanTracer(recorder: recorder))
            try await HTTPClient.withHTTPClient(configuration: calls) { httpClient in
                let stack = DevStack(
                    directory: directory,
                    secrets: secrets,
                    cluster: cluster,
                    pooler: self.pooled ? try .start(before: cluster) : nil,
                    metricsPort: metering?.port,
                    logger: logger
                )
                let services = try await stack.services(
                    httpPort: httpPort,
                    storePort: storePort,
                    httpClient: httpClient
                ) { wallet in
                    try await self.application(wallet, httpClient, metering, recorder, logger).services
                }
                try await ServiceGroup(
                    services: services,
                    shutdownTimeout: Self.shutdownTimeout,
                    logger: logger
                ).run()
            }
        } catch {
            await cluster.stop()
            throw CommandError.explaining(error)
        }
        await cluster.stop()
        lock.release()
    }

    /// Assembles the wallet as `serve` does, with short intervals: the books are small, and a user is waiting.
    private func application(
        _ wallet: DevWallet,
        _ httpClient: HTTPClient,
        _ metering: Metering?,
        _ recorder: SpanRecorder?,
        _ logger: Logger
    ) async throws -> WalletApplication {
        var http = wallet.http
        try OpenFiles.fit(&http, beside: wallet.database.maximumConnections, logger: logger)
        return try await WalletApplication(
            ServiceConfiguration(
                database: wallet.database,
                operatorConnections: 2,
                http: http,
                authentication: AuthenticationConfiguration(issuers: wallet.issuers),
                stores: wallet.stores,
                work: WorkConfiguration(
                    sweepInterval: .seconds(5),
                    sumsInterval: .seconds(5),
                    reportsInterval: .seconds(5),
                    studioInterval: .seconds(1),
                    workInterval: .seconds(1)
                ),
                shutdownTimeout: Self.shutdownTimeout
            ),
            httpClient: httpClient,
            logger: logger,
            metering: metering,
            recorder: recorder,
            requestLog: wallet.requestLog,
            clock: wallet.clock,
            local: wallet.local,
            console: wallet.console,
            additions: wallet.additions,
            onListening: wallet.onListening
        )
    }

    /// Samples the ledger's metrics far more often than a service would: the ledger is small, and a user is waiting.
    private func metering() throws -> Metering? {
        guard let port = self.metricsPort else { return nil }
        return Metering.bootstrapped(
            MetricsConfiguration(
                port: try FreePort.resolve(port, option: "--metrics-port"),
                metricsInterval: .seconds(1),
                invariantsInterval: .seconds(5)
            )
        )
    }
}
