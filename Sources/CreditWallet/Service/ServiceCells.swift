import AsyncHTTPClient
import CommandOutput
import Hummingbird
import Logging
import Postgres
import ServiceLifecycle
import Stores
import Telemetry
import Wallet
import WalletAPI
import WalletConsole
import WalletSupabase

/// Several wallets in one process: each has its own pool, queues and workers, and all share one address.
///
/// Wallets share no state, so a failure of one does not affect the others.
struct ServiceCells: Sendable {
    let cells: [(name: String, configuration: ServiceConfiguration)]
    /// The configuration of the shared HTTP server.
    var http: WalletServerConfiguration
    let metrics: MetricsConfiguration?
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
                cells.append((wallet.name, try ServiceConfiguration(reader: settings.of(wallet))))
            } catch {
                throw error.of(wallet.name)
            }
        }
        self.cells = cells
        self.http = try WalletServerConfiguration(reader: settings)
        // Each wallet has its own address for its operator pages, or none.
        self.http.operatorPages = nil
        self.metrics = try MetricsConfiguration(reader: settings)
        self.traces = try OTLPConfiguration(reader: settings)
        self.shutdownTimeout = try settings.shutdownTimeout()
        try self.refuseCommonValues()
        try self.refuseCommonPorts()
    }

    /// Settings that must differ between wallets, and why.
    private static let owned:
        [(key: ConfigurationKey, harm: String, values: @Sendable (ServiceConfiguration) -> [String])] = [
            (.appStoreBundleIDs, Self.twice, { Array($0.stores.receipts?.bundleIDs ?? []) }),
            (.googlePlayPackageName, Self.twice, { $0.stores.googlePlay.map { [$0.packageName] } ?? [] }),
            // The settings that identify a project: its key, and the secrets of its webhook.
            (.revenueCatAPIKey, Self.twice, { $0.stores.revenueCat.map { [$0.secretKey] } ?? [] }),
            (.revenueCatAuthorization, Self.twice, { $0.stores.revenueCatWebhook?.authorizations ?? [] }),
            (.revenueCatSigningSecret, Self.twice, { $0.stores.revenueCatWebhook?.signingSecrets ?? [] }),
            // Each wallet numbers its events from 1.
            (
                .eventsURL, "its receiver would mistake events of one wallet for duplicates of the other's",
                { $0.work.events.map { [$0.url] } ?? [] }
            ),
        ]
    private static let twice = "a purchase would be granted in both wallets"

    /// Refuses an app, a project or an event endpoint that two wallets share.
    private func refuseCommonValues() throws(CommandError) {
        for (key, harm, values) in Self.owned {
            var owners: [String: String] = [:]
            for (name, configuration) in self.cells {
                for value in Set(values(configuration)) {
                    guard let other = owners.updateValue(name, forKey: value) else { continue }
                    throw CommandError(
                        .configuration,
                        "\(key.name) must not have the same value for \(other) and \(name): \(harm)."
                    )
                }
            }
        }
    }

    /// Refuses a port that two listeners of the process share.
    private func refuseCommonPorts() throws(CommandError) {
        var listeners = [
            (key: ConfigurationKey.httpPort.name, address: ListenAddress(host: self.http.host, port: self.http.port))
        ]
        if let metrics = self.metrics {
            listeners.append((ConfigurationKey.metricsPort.name, ListenAddress(host: metrics.host, port: metrics.port)))
        }
        for (name, configuration) in self.cells {
            guard let pages = configuration.http.operatorPages else { continue }
            listeners.append(("\(ConfigurationKey.consolePort.name) of \(name)", pages))
        }
        for (place, listener) in listeners.enumerated() {
            guard let other = listeners[..<place].first(where: { $0.address.meets(listener.address) }) else { continue }
            throw CommandError(
                .configuration,
                "\(other.key) and \(listener.key) use the same port of one host; choose different ports."
            )
        }
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
        let metering = self.metrics.map { Metering.bootstrapped($0, wallets: self.cells.count) }
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
            ? APIReference(openAPI: WalletServer.openAPI) : nil
        return CellServer(
            configuration: self.http,
            cells: cells.map(\.cell),
            tracing: TraceMiddleware(tracer: recorder.map { SpanTracer(recorder: $0) }),
            dialects: [SupabaseFunctions()],
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

extension ListenAddress {
    /// The addresses that mean all interfaces of a machine.
    private static let everywhere: Set = ["0.0.0.0", "::"]

    /// Returns whether two addresses conflict; port 0 never conflicts, because each listener gets a different free
    /// port.
    fileprivate func meets(_ other: ListenAddress) -> Bool {
        self.port != 0 && self.port == other.port
            && (self.host == other.host || !Self.everywhere.isDisjoint(with: [self.host, other.host]))
    }
}

/// One of several wallets of a process: opens it once its database is usable, and then runs its services.
struct ServiceCell: Service {
    /// The delay before the next attempt to open the wallet.
    private static let pause: Duration = .seconds(5)

    let name: String
    let configuration: ServiceConfiguration
    let application: WalletApplication
    let logger: Logger
    private let gate = CellGate()

    /// The wallet in the form that the server takes.
    var cell: WalletCell {
        WalletCell(
            name: self.name,
            server: self.application.server,
            issuers: self.configuration.authentication.issuers.map(\.issuer),
            gate: self.gate
        )
    }

    /// Opens all wallets whose databases are usable; the others are retried once they run.
    ///
    /// - Parameter cells: The wallets.
    /// - Throws: ``CommandError`` with the reason for the first wallet, if none can be opened.
    static func openAll(_ cells: [ServiceCell]) async throws {
        let failures = await withTaskGroup(of: (Int, (any Error)?).self) { group in
            for (place, cell) in cells.enumerated() { group.addTask { (place, await cell.open()) } }
            return await group.reduce(into: [Int: any Error]()) { $0[$1.0] = $1.1 }
        }
        guard failures.count == cells.count, let first = failures[0] else { return }
        for cell in cells { await cell.application.pool.close() }
        throw (first as? CommandError)?.of(cells[0].name) ?? first
    }

    /// Runs the wallet's services from its opening until shutdown.
    func run() async throws {
        try await MetricOwner.$wallet.withValue(self.name) {
            await cancelWhenGracefulShutdown { await self.openAtLast() }
            guard self.gate.isOpen else { return await self.application.pool.close() }
            let configuration = ServiceGroupConfiguration(
                // Without a name, the group logs the whole service value, including its secrets.
                services: self.application.ownServices.map { .init(service: $0, serviceName: "\(type(of: $0))") },
                logger: self.logger
            )
            try await ServiceGroup(configuration: configuration).run()
        }
    }

    private func openAtLast() async {
        while !self.gate.isOpen, !Task.isCancelled {
            try? await Task.sleep(for: Self.pause)
            if !Task.isCancelled { _ = await self.open() }
        }
    }

    /// Opens the wallet if its database is usable.
    ///
    /// - Returns: The error that prevents the opening; nil if the wallet is open.
    private func open() async -> (any Error)? {
        do {
            try await self.application.open(self.configuration, logger: self.logger)
        } catch {
            self.logger.error("the wallet is unavailable; retrying", error: error)
            return error
        }
        self.gate.open()
        self.logger.info("the wallet is available")
        return nil
    }
}

/// The HTTP clients of one of several wallets, so that hanging calls use no connections of other wallets.
struct OutgoingClients: Sendable {
    /// The client for stores and key sets.
    let stores: HTTPClient
    /// The client for events, whose endpoint may be in a private network.
    let events: HTTPClient
    private let logger: Logger

    init(within reach: EgressPolicy, tracer: SpanTracer, logger: Logger) {
        self.stores = HTTPClient(configuration: .outgoing(within: reach, tracer: tracer, logger: logger))
        self.events = HTTPClient(configuration: .outgoing(tracer: tracer))
        self.logger = logger
    }

    /// Shuts down the clients and aborts their calls.
    func shutDown() async {
        for client in [self.stores, self.events] {
            do {
                try await client.shutdown()
            } catch {
                self.logger.warning("outgoing calls were aborted at shutdown", error: error)
            }
        }
    }
}
