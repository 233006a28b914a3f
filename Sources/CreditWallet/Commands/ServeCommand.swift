import ArgumentParser
import AsyncHTTPClient
import CommandOutput
import Logging
import Postgres
import ServiceLifecycle
import Telemetry
import WalletAPI

/// `credit-wallet serve`: runs the service in production.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve the wallet over HTTP.",
        discussion: ConfigurationHelp.text
    )

    @Option(help: "Address to listen on (HTTP_HOST).")
    var httpHost: String?

    @Option(help: "Port to listen on (HTTP_PORT).")
    var httpPort: String?

    @Option(
        help: "Minimum level of logged messages (LOG_LEVEL).",
        completion: .list(Logger.Level.allCases.map(\.rawValue))
    )
    var logLevel: String?

    @Flag(help: "Check the configuration and the database without changes, then exit; 0 means that serve would start.")
    var check = false

    @Flag(help: "Allow App Store addresses other than Apple's (APPSTORE_ALLOW_OTHER_HOSTS).")
    var appstoreAllowOtherHosts = false

    func run() async throws {
        let settings = try await Settings.load(options: self.options)
        try settings.requireAll()
        try settings.requireUsable()
        let wallets = try settings.wallets()
        if !wallets.isEmpty { return try await self.run(ServiceCells(wallets, settings), settings) }
        var configuration = try ServiceConfiguration(reader: settings)
        let logger = Logger.bootstrapped(level: try Logger.Level(reader: settings))
        self.warn(settings, logger)
        let parts: Logger.Metadata = try [
            "stores": .array(settings.storeNames().map { .string($0) }),
            "issuers": .array(configuration.authentication.issuers.map { .string($0.issuer) }),
        ]
        if self.check {
            try await DatabaseChecks.look(at: configuration, logger: logger)
            try self.announce(configuration.http, settings, parts, logger)
            return print("The configuration is valid, and the database is ready.")
        }
        try OpenFiles.fit(&configuration.http, beside: configuration.databaseConnections, logger: logger)
        let fitted = configuration
        try self.announce(fitted.http, settings, parts, logger)
        let metering = fitted.metrics.map { Metering.bootstrapped($0) }
        let recorder = fitted.traces.map { SpanRecorder($0, logger: logger) }
        let tracer = SpanTracer(recorder: recorder)
        let guarded = HTTPClient.Configuration.outgoing(within: fitted.reach, tracer: tracer, logger: logger)
        try await HTTPClient.withHTTPClient(configuration: guarded) { httpClient in
            try await HTTPClient.withHTTPClient(configuration: .outgoing(tracer: tracer)) { eventClient in
                let application = try await WalletApplication(
                    fitted,
                    httpClient: httpClient,
                    eventClient: eventClient,
                    logger: logger,
                    metering: metering,
                    recorder: recorder
                )
                try await self.serve(application, fitted, logger: logger)
            }
        }
        logger.info("credit-wallet stopped")
    }

    /// Serves several wallets.
    private func run(_ cells: ServiceCells, _ settings: Settings) async throws {
        let logger = Logger.bootstrapped(level: try Logger.Level(reader: settings))
        self.warn(settings, logger)
        if self.check {
            try await cells.look(logger: logger)
            try self.announce(cells.http, settings, cells.description, logger)
            return print("The configuration is valid, and the databases are ready.")
        }
        var fitted = cells
        try OpenFiles.fit(&fitted.http, beside: cells.databaseConnections, logger: logger)
        try self.announce(fitted.http, settings, cells.description, logger)
        try await fitted.run(logger: logger)
        logger.info("credit-wallet stopped")
    }

    /// Logs the start, with the settings that differ from their defaults.
    private func announce(
        _ http: WalletServerConfiguration,
        _ settings: Settings,
        _ parts: Logger.Metadata,
        _ logger: Logger
    ) throws {
        let differences = try settings.differences()
        let metadata: Logger.Metadata = [
            "version": "\(VersionCommand.current)",
            "http": "\(http.host):\(http.port)",
            "settings": .dictionary(differences.mapValues { .string($0) }),
        ]
        logger.info("credit-wallet is starting", metadata: metadata.merging(parts) { $1 })
    }

    private func warn(_ settings: Settings, _ logger: Logger) {
        for finding in settings.unknown() {
            logger.warning(
                "unknown setting ignored",
                metadata: ["name": "\(finding.name)", "did_you_mean": "\(finding.meant)"]
            )
        }
    }

    private func serve(
        _ application: WalletApplication,
        _ configuration: ServiceConfiguration,
        logger: Logger
    ) async throws {
        do {
            try await application.open(configuration, logger: logger)
        } catch {
            await application.pool.close()
            throw error
        }
        do {
            try await ServiceGroup(
                services: application.services,
                shutdownTimeout: configuration.shutdownTimeout,
                logger: logger
            ).run()
        } catch {
            throw CommandError.explaining(error)
        }
    }

    private var options: [ConfigurationKey: String?] {
        [
            .httpHost: self.httpHost, .httpPort: self.httpPort, .logLevel: self.logLevel,
            .appStoreAllowOtherHosts: self.appstoreAllowOtherHosts ? "true" : nil,
        ]
    }
}
