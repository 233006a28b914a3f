import ArgumentParser
import AsyncHTTPClient
import Foundation
import Logging
import Postgres
import ServiceLifecycle
import Wallet

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

    @Option(help: "Lowest level that is logged (LOG_LEVEL).")
    var logLevel: String?

    @Flag(help: "Ask hosts other than Apple's about purchases (APPSTORE_ALLOW_OTHER_HOSTS).")
    var appstoreAllowOtherHosts = false

    func run() async throws {
        let settings = try await Settings.load(options: self.options)
        var configuration = try ServiceConfiguration(settings)
        let logger = Logger.bootstrapped(level: try settings.logLevel())
        try OpenFiles.fit(&configuration, logger: logger)
        let fitted = configuration
        let metering = fitted.admin.map(Metering.bootstrapped)
        let guarded = HTTPClient.Configuration.outgoing(within: fitted.reach, logger: logger)
        try await HTTPClient.withHTTPClient(configuration: guarded) { httpClient in
            try await HTTPClient.withHTTPClient(configuration: .outgoing) { eventClient in
                let application = try await WalletApplication(
                    fitted,
                    httpClient: httpClient,
                    eventClient: eventClient,
                    logger: logger,
                    metering: metering
                )
                try await self.serve(application, fitted, logger: logger)
            }
        }
    }

    private func serve(
        _ application: WalletApplication,
        _ configuration: ServiceConfiguration,
        logger: Logger
    ) async throws {
        try await self.prepare(application, configuration, logger: logger)
        try await ServiceGroup(
            services: application.services,
            shutdownTimeout: configuration.shutdownTimeout,
            logger: logger
        ).run()
    }

    private var options: [ConfigurationKey: String?] {
        [
            .httpHost: self.httpHost, .httpPort: self.httpPort, .logLevel: self.logLevel,
            .appStoreAllowOtherHosts: self.appstoreAllowOtherHosts ? "true" : nil,
        ]
    }

    /// Looks at the database before the first request, and tells it from when on each store's purchases count.
    private func prepare(
        _ application: WalletApplication,
        _ configuration: ServiceConfiguration,
        logger: Logger
    ) async throws {
        do {
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
