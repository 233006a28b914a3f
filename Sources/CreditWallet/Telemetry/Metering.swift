import Logging
import Metrics
import Postgres
import ServiceLifecycle
import Telemetry
import Wallet

/// The metrics of the service; present if an address for `/metrics` is configured.
struct Metering: Sendable {
    private let configuration: AdminConfiguration
    private let registry: PrometheusRegistry

    /// The port of the metrics endpoint.
    var port: Int { self.configuration.port }

    /// Returns the current metrics in Prometheus' text format.
    ///
    /// - Parameter wallet: The wallet whose metrics are returned, without those of other wallets; nil returns all
    ///   metrics.
    /// - Returns: The text.
    func text(of wallet: String?) -> String {
        guard let wallet else { return self.registry.text() }
        return self.registry.text().split(separator: "\n")
            .filter { !$0.contains("wallet=\"") || $0.contains("wallet=\"\(wallet)\"") }
            .joined(separator: "\n")
    }

    /// Sends all metrics of the process to one registry.
    ///
    /// Call it once, before any component creates metrics.
    ///
    /// - Parameters:
    ///   - configuration: The address of the endpoint, and the intervals of the samplers.
    ///   - wallets: The number of wallets; each has separate series.
    /// - Returns: The metrics.
    static func bootstrapped(_ configuration: AdminConfiguration, wallets: Int = 1) -> Metering {
        let registry = PrometheusRegistry(MetricDescription.all, seriesLimit: 1_000 * wallets)
        MetricsSystem.bootstrap(registry)
        let process = ProcessMetrics(factory: registry)
        registry.beforeScrape { process.update() }
        return Metering(configuration: configuration, registry: registry)
    }

    /// Creates the service that serves the metrics of the process.
    ///
    /// - Parameter logger: The logger for failures.
    /// - Returns: The service.
    func server(logger: Logger) -> any Service {
        AdminServer(configuration: self.configuration, registry: self.registry, logger: logger)
    }

    /// Creates the services that sample the metrics of a wallet, in their start order.
    ///
    /// - Parameters:
    ///   - pool: The service's connections.
    ///   - wallet: The service's wallet.
    ///   - configuration: The configuration of the database and of the events.
    ///   - logger: The logger for failures.
    /// - Returns: The services.
    func samplers(
        pool: Pool,
        wallet: Wallet,
        _ configuration: ServiceConfiguration,
        logger: Logger
    ) -> [any Service] {
        self.watch(pool, wallet)
        // With a sampler, the sampler sets this metric, including the version of PostgreSQL.
        if self.configuration.metricsInterval == nil { BuildInformation().show(postgreSQL: nil) }
        let books = Pool(configuration: .books(url: configuration.database.connection.url), logger: logger)
        let sampler = LedgerMetricsSampler(wallet: Wallet(pool: books), sendsEvents: configuration.work.events != nil)
        let rounds: [PeriodicJob?] = [
            self.configuration.metricsInterval.map {
                PeriodicJob(name: "metrics", interval: $0, logger: logger, work: sampler.sampleBooks)
            },
            self.configuration.invariantsInterval.map {
                PeriodicJob(name: "invariants", interval: $0, logger: logger, work: sampler.sampleInvariants)
            },
        ]
        return [books] + rounds.compactMap { $0 }
    }

    /// Updates the values that are available in memory before each scrape.
    private func watch(_ pool: Pool, _ wallet: Wallet) {
        let labels = [("db.client.connection.pool.name", pool.configuration.name)]
        let count = "db_client_connection_count"
        let idle = Meter(label: count, dimensions: labels + [("db.client.connection.state", "idle")])
        let used = Meter(label: count, dimensions: labels + [("db.client.connection.state", "used")])
        let givenUp = Meter(label: "wallet_db_sessions_given_up", dimensions: labels)
        let waiting = Meter(label: "db_client_connection_pending_requests", dimensions: labels)
        Meter(label: "db_client_connection_max", dimensions: labels).set(pool.configuration.maximumConnections)
        let depth = Meter(label: "wallet_booking_queue_depth")
        self.registry.beforeScrape {
            let status = pool.status
            idle.set(status.idle)
            used.set(status.leased)
            givenUp.set(status.givenUp)
            waiting.set(status.waiting)
            depth.set(wallet.bookingQueueDepth)
        }
    }
}
