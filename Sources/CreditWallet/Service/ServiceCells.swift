import AsyncHTTPClient
import Hummingbird
import Logging
import Postgres
import ServiceLifecycle
import Stores
import Telemetry
import WalletAPI
import WalletConsole

/// Several wallets in one process: each has its own pool, queues and workers, and all share one address.
///
/// Wallets share no state, so a failure of one does not affect the others.
struct ServiceCells: Sendable {
    let cells: [(name: String, configuration: ServiceConfiguration)]
    /// The configuration of the shared HTTP server.
    var http: WalletServerConfiguration
    let admin: AdminConfiguration?
    private let traces: OTLPConfiguration?
    private let shutdownTimeout: Duration

    /// Reads the configuration of the process and of each wallet.
    ///
    /// - Parameters:
    ///   - wallets: The wallets.
    ///   - settings: The settings to read from.
    /// - Throws: ``CommandError`` for the first key that is missing, invalid, or shared by two wallets.
    init(_ wallets: [WalletAddress], _ settings: Settings) throws(CommandError) {
        var cells: [(name: String, configuration: ServiceConfiguration)] = []
        for wallet in wallets {
            do throws(CommandError) {
                cells.append((wallet.name, try ServiceConfiguration(settings.of(wallet))))
            } catch {
                throw error.of(wallet.name)
            }
        }
        self.cells = cells
        self.http = try settings.http()
        // Each wallet has its own address for its operator pages, or none.
        self.http.operatorPages = nil
        self.admin = try settings.admin()
        self.traces = try settings.traces()
        self.shutdownTimeout = try settings.shutdownTimeout()
        try self.refuseCommonValues()
        try self.refuseCommonPorts()
    }

    /// The maximum number of connections to all databases.
    var databaseConnections: Int { self.cells.reduce(0) { $0 + $1.configuration.databaseConnections } }

    /// The description of the wallets in the log.
    var description: Logger.Metadata {
        let wallets = self.cells.map { name, configuration in
            let issuers = configuration.authentication.issuers.map { Logger.MetadataValue.string($0.issuer) }
            let stores = configuration.stores.grantsFrom.keys.sorted().map { Logger.MetadataValue.string($0) }
            return (name, Logger.MetadataValue.dictionary(["issuers": .array(issuers), "stores": .array(stores)]))
        }
        return ["wallets": .dictionary(Dictionary(uniqueKeysWithValues: wallets))]
    }

    /// Runs the checks of a start without changing anything.
    ///
    /// - Parameter logger: The logger for non-fatal anomalies.
    /// - Throws: ``CommandError`` for the first wallet that could not be served.
    func look(logger: Logger) async throws {
        for (name, configuration) in self.cells {
            do {
                try await DatabaseChecks.look(at: configuration, logger: Self.logger(logger, of: name))
            } catch let error as CommandError {
                throw error.of(name)
            }
        }
    }

    /// Serves all wallets until a signal arrives.
    ///
    /// - Parameter logger: The logger; the entries of a wallet contain its name.
    /// - Throws: ``CommandError`` if no wallet is usable.
    func run(logger: Logger) async throws {
        let metering = self.admin.map { Metering.bootstrapped($0, wallets: self.cells.count) }
        let recorder = self.traces.map { SpanRecorder($0, logger: logger) }
        let tracer = SpanTracer(recorder: recorder)
        let clients = self.cells.map { OutgoingClients(within: $0.configuration.reach, tracer: tracer, logger: logger) }
        do {
            let cells = try await self.made(clients, metering, recorder, logger)
            try await ServiceCell.openAll(cells)
            try await ServiceGroup(
                services: (recorder.map { [$0.processor] } ?? [])
                    + (metering.map { [$0.server(logger: logger)] } ?? [])
                    + cells + [self.server(of: cells, metering, recorder, logger)],
                shutdownTimeout: self.shutdownTimeout,
                logger: logger
            ).run()
        } catch {
            for client in clients { await client.shutDown() }
            throw CommandError.explaining(error)
        }
        for client in clients { await client.shutDown() }
    }

    private func made(
        _ clients: [OutgoingClients],
        _ metering: Metering?,
        _ recorder: SpanRecorder?,
        _ logger: Logger
    ) async throws -> [ServiceCell] {
        var made: [ServiceCell] = []
        for ((name, configuration), clients) in zip(self.cells, clients) {
            let logger = Self.logger(logger, of: name)
            let application = try await MetricOwner.$wallet.withValue(name) {
                try await WalletApplication(
                    configuration,
                    httpClient: clients.stores,
                    eventClient: clients.events,
                    logger: logger,
                    metering: metering,
                    recorder: recorder
                )
            }
            made.append(
                ServiceCell(name: name, configuration: configuration, application: application, logger: logger)
            )
        }
        return made
    }

    private func server(
        of cells: [ServiceCell],
        _ metering: Metering?,
        _ recorder: SpanRecorder?,
        _ logger: Logger
    ) -> CellServer {
        let reference =
            self.http.hasReference
            ? APIReference(openAPI: WalletServer.openAPI, problemTitles: ProblemTitles.table) : nil
        return CellServer(
            configuration: self.http,
            cells: cells.map(\.cell),
            tracing: TraceMiddleware(tracer: recorder.map { SpanTracer(recorder: $0) }),
            additions: { router in reference?.add(to: router) },
            observer: metering.map { _ in RequestMetrics() },
            logger: logger
        )
    }

    private static func logger(_ logger: Logger, of wallet: String) -> Logger {
        var logger = logger
        logger[metadataKey: "wallet"] = .string(wallet)
        return logger
    }
}
