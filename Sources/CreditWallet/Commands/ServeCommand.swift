import ArgumentParser
import AsyncHTTPClient
import Foundation
import Logging
import Postgres
import ServiceLifecycle
import Telemetry
import Wallet
import WalletAPI

/// `credit-wallet serve`: the service, for real users.
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
        help: "Lowest level that is logged (LOG_LEVEL).",
        completion: .list(Logger.Level.allCases.map(\.rawValue))
    )
    var logLevel: String?

    @Flag(help: "Look at the configuration and the database, change nothing, and end: 0 when serve would start.")
    var check = false

    @Flag(help: "Ask hosts other than Apple's about purchases (APPSTORE_ALLOW_OTHER_HOSTS).")
    var appstoreAllowOtherHosts = false

    func run() async throws {
        let settings = try await Settings.load(options: self.options)
        try settings.requireAll()
        var configuration = try ServiceConfiguration(settings)
        let logger = Logger.bootstrapped(level: try settings.logLevel())
        self.warn(settings, logger)
        if self.check { return try await self.look(configuration, settings, logger) }
        try OpenFiles.fit(&configuration, logger: logger)
        let fitted = configuration
        try self.announce(fitted, settings, logger)
        let metering = fitted.admin.map(Metering.bootstrapped)
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

    /// The first line of the log: what runs, and how it differs from what runs when nobody says.
    private func announce(_ configuration: ServiceConfiguration, _ settings: Settings, _ logger: Logger) throws {
        let stores = try settings.storeNames()
        let differences = try settings.differences()
        logger.info(
            "credit-wallet starts",
            metadata: [
                "version": "\(VersionCommand.current)",
                "http": "\(configuration.http.host):\(configuration.http.port)",
                "stores": .array(stores.map { .string($0) }),
                "issuers": .array(configuration.authentication.issuers.map { .string($0.issuer) }),
                "settings": .dictionary(differences.mapValues { .string($0) }),
            ]
        )
    }

    private func warn(_ settings: Settings, _ logger: Logger) {
        for finding in settings.unknown() {
            logger.warning(
                "a setting is not known, and is ignored",
                metadata: ["name": "\(finding.name)", "did_you_mean": "\(finding.meant)"]
            )
        }
    }

    /// Does what a start does before it listens.
    private func look(_ configuration: ServiceConfiguration, _ settings: Settings, _ logger: Logger) async throws {
        try await DatabaseDoor(configuration: configuration.database.connection, logger: logger).requireOpen()
        let pool = Pool(configuration: configuration.database, logger: logger)
        do {
            let checks = DatabaseChecks(wallet: Wallet(pool: pool), pool: pool, logger: logger)
            try await checks.requireUsableSchema()
            try await checks.require(.production)
            await pool.close()
        } catch {
            await pool.close()
            throw CommandError.explaining(error)
        }
        try self.announce(configuration, settings, logger)
        print("The configuration can be used, and the database is ready.")
    }

    private func serve(
        _ application: WalletApplication,
        _ configuration: ServiceConfiguration,
        logger: Logger
    ) async throws {
        try await self.prepare(application, configuration, logger: logger)
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

    /// Looks at the database before the first request, and stores in it from when on each store's purchases count.
    private func prepare(
        _ application: WalletApplication,
        _ configuration: ServiceConfiguration,
        logger: Logger
    ) async throws {
        do {
            try await DatabaseDoor(configuration: configuration.database.connection, logger: logger).requireOpen()
            let checks = DatabaseChecks(wallet: application.wallet, pool: application.pool, logger: logger)
            try await checks.requireUsableSchema()
            try await checks.require(.production)
            for (store, instant) in configuration.stores.grantsFrom.sorted(by: { $0.key < $1.key }) {
                try await self.enable(store, from: instant, application, logger)
            }
        } catch {
            await application.pool.close()
            throw CommandError.explaining(error)
        }
    }

    private func enable(
        _ store: String,
        from instant: Date,
        _ application: WalletApplication,
        _ logger: Logger
    ) async throws {
        let inForce = try await application.wallet.enableStore(store, grantsFrom: instant)
        guard inForce != instant else { return }
        logger.warning(
            "a store was enabled with another instant, which stays",
            metadata: ["store": "\(store)", "grants_from": "\(inForce.formatted(.iso8601))"]
        )
    }
}
