import AsyncHTTPClient
import Hummingbird
import Logging
import Postgres
import ServiceLifecycle
import Stores
import Telemetry
import WalletAPI
import WalletConsole

/// Several wallets in one process: each with a pool, queues and workers of its own, all on one address.
///
/// Nothing of one wallet is known to another, so what happens to one leaves the others alone.
struct ServiceCells: Sendable {
    let cells: [(name: String, configuration: ServiceConfiguration)]
    /// Where all of them are served.
    var http: WalletServerConfiguration
    let admin: AdminConfiguration?
    private let traces: OTLPConfiguration?
    private let shutdownTimeout: Duration

    /// Reads all keys, of the process and of each wallet.
    ///
    /// - Parameters:
    ///   - wallets: The wallets.
    ///   - settings: Where the keys are read from.
    /// - Throws: ``CommandError`` naming the first key that is missing, cannot be used, or is one for two wallets.
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
        // Each wallet has its own, or none.
        self.http.operatorPages = nil
        self.admin = try settings.admin()
        self.traces = try settings.traces()
        self.shutdownTimeout = try settings.shutdownTimeout()
        try self.refuseCommonValues()
        try self.refuseCommonPorts()
    }

    /// How many connections to all databases there may be.
    var databaseConnections: Int { self.cells.reduce(0) { $0 + $1.configuration.databaseConnections } }

    /// What the log says of the wallets.
    var description: Logger.Metadata {
        let wallets = self.cells.map { name, configuration in
            let issuers = configuration.authentication.issuers.map { Logger.MetadataValue.string($0.issuer) }
            let stores = configuration.stores.grantsFrom.keys.sorted().map { Logger.MetadataValue.string($0) }
            return (name, Logger.MetadataValue.dictionary(["issuers": .array(issuers), "stores": .array(stores)]))
        }
        return ["wallets": .dictionary(Dictionary(uniqueKeysWithValues: wallets))]
    }

    /// Does what a start does before it listens, and changes nothing.
    ///
    /// - Parameter logger: Learns of what is odd and no reason to stop.
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

    /// Serves until a signal ends it.
    ///
    /// - Parameter logger: Where everything is logged, that of a wallet with its name.
    /// - Throws: ``CommandError`` where no wallet at all can be used.
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
