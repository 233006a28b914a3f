import HTTPTypes
import Hummingbird
import Logging
import Metrics
import NIOCore
import Postgres
import ServiceLifecycle
import Telemetry
import Wallet

/// The metrics of the service; present if an address for `/metrics` is configured.
struct Metering: Sendable {
    private let configuration: MetricsConfiguration
    private let registry: PrometheusRegistry

    /// Sends all metrics of the process to one registry.
    ///
    /// Call it once, before any component creates metrics.
    ///
    /// - Parameters:
    ///   - configuration: The address of the endpoint, and the intervals of the samplers.
    ///   - wallets: The number of wallets; each has separate series.
    /// - Returns: The metrics.
    static func bootstrapped(_ configuration: MetricsConfiguration, wallets: Int = 1) -> Metering {
        let registry = PrometheusRegistry(MetricDescription.all, seriesLimit: 1_000 * wallets)
        MetricsSystem.bootstrap(registry)
        let process = ProcessMetrics(factory: registry)
        registry.beforeScrape { process.update() }
        return Metering(configuration: configuration, registry: registry)
    }

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

    /// Creates the service that serves the metrics of the process.
    ///
    /// - Parameter logger: The logger for failures.
    /// - Returns: The service.
    func server(logger: Logger) -> any Service {
        MetricsServer(configuration: self.configuration, registry: self.registry, logger: logger)
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

/// The address of the metrics endpoint, and the intervals at which the ledger's metrics are sampled.
struct MetricsConfiguration: Sendable, Equatable {
    var host = "127.0.0.1"
    var port: Int
    /// The interval at which totals and backlogs are read; nil disables it.
    var metricsInterval: Duration?
    /// The interval at which the invariants are checked; nil disables it.
    var invariantsInterval: Duration?
}

/// Serves metrics to monitoring systems, on an address that users cannot reach.
///
/// - `GET /metrics`: Prometheus' text format
private struct MetricsServer: Service {
    let configuration: MetricsConfiguration
    let registry: PrometheusRegistry
    let logger: Logger

    /// Serves until shutdown.
    func run() async throws {
        let router = Router()
        router.get("metrics") { _, _ in self.metrics() }
        let application = Application(
            router: router,
            configuration: ApplicationConfiguration(
                address: .hostname(self.configuration.host, port: self.configuration.port),
                serverName: "credit-wallet",
                // With address reuse, two sockets could receive the same free port, and only one of them could listen.
                reuseAddress: self.configuration.port != 0
            ),
            logger: self.logger
        )
        try await application.run()
    }

    private func metrics() -> Response {
        let body = ByteBuffer(string: self.registry.text())
        return Response(
            status: .ok,
            headers: [
                .contentType: PrometheusRegistry.contentType, .contentLength: String(body.readableBytes),
                .cacheControl: "no-store",
            ],
            body: ResponseBody(byteBuffer: body)
        )
    }
}

/// All metric families of `/metrics`; `deploy/metrics.md` lists them for operators.
extension MetricDescription {
    static let all = requests + bookings + database + stores + books + spans + ProcessMetrics.descriptions

    private static let requests: [MetricDescription] = [
        .histogram("http_server_request_duration_seconds", "Time until the response to a request is decided."),
        .gauge("http_server_active_requests", "Requests that are being answered."),
        .counter(
            "wallet_http_connections_refused_total",
            "Connections that were closed before any request, by reason."
        ),
        .counter("wallet_http_accept_failures_total", "Failed attempts to accept a connection."),
        .counter("wallet_refusals_total", "Responses that are problems, by the slug of their type."),
    ]

    private static let bookings: [MetricDescription] = [
        .gauge("wallet_booking_queue_depth", "Bookings and cancellations that wait for their batch."),
        .histogram(
            "wallet_booking_batch_size",
            "Bookings and cancellations that are decided together.",
            bounds: [1, 2, 4, 8, 16, 24, 32, 64, 128, 256]
        ),
        .histogram("wallet_booking_queue_wait_seconds", "Time that a booking waits for its batch to start."),
        .counter(
            "wallet_debits_total",
            "Bookings and uses of passes that deducted something, decided by this instance."
        ),
        .counter("wallet_debited_units_total", "Credits and visits that these debits deducted."),
        .counter("wallet_submitted_purchases_total", "Purchases that users submitted to this instance, by result."),
    ]

    private static let database: [MetricDescription] = [
        .histogram(
            "db_client_operation_duration_seconds",
            "Duration of a statement, including the wait for a connection."
        ),
        .gauge("db_client_connection_count", "Connections to the database, by state."),
        .gauge("db_client_connection_max", "Maximum number of connections to the database."),
        .gauge("db_client_connection_pending_requests", "Tasks that wait for a database connection."),
        .histogram("db_client_connection_wait_time_seconds", "Time that a task waited for a database connection."),
        .histogram("db_client_connection_create_time_seconds", "Time to open a database connection."),
        .counter("wallet_db_connection_failures_total", "Database connections that could not be opened."),
        .counter("wallet_db_statements_given_up_total", "Statements answered 503 at their deadline."),
        .gauge("wallet_db_sessions_given_up", "Abandoned database sessions that the server has not ended."),
        .counter("wallet_reads_total", "Reads that standbys may answer, by server and reason."),
    ]

    private static let stores: [MetricDescription] = [
        .histogram("http_client_request_duration_seconds", "Duration of a call to a store."),
        .counter("wallet_inbox_attempts_total", "Attempts to process messages of the stores, by result."),
        .histogram(
            "wallet_inbox_lag_seconds",
            "Time from receiving a store's message to applying it.",
            bounds: Self.longSeconds
        ),
    ]

    /// Sampled from the database at an interval.
    ///
    /// All instances report the same values, so use the maximum and not the sum.
    private static let books: [MetricDescription] = [
        .gauge("wallet_build_info", "1 for the running release, with the versions of Swift and PostgreSQL."),
        .gauge("wallet_liability_units", "Credits and visits that users can still spend, all wallets together."),
        .gauge("wallet_owed_units", "Refunded credits and visits that had already been spent."),
        .counter("wallet_grants_total", "Granted lots, all wallets together."),
        .counter("wallet_granted_units_total", "Granted credits and visits, all wallets together."),
        .gauge("wallet_spent_units", "Credits and visits spent and not returned, all wallets together."),
        .gauge("wallet_inbox_messages", "Unprocessed messages of the stores, by status."),
        .gauge("wallet_inbox_oldest_seconds", "Waiting time of the oldest unprocessed message, by status."),
        .gauge("wallet_outbox_oldest_seconds", "Waiting time of the oldest undelivered event."),
        .gauge("wallet_outbox_pending", "Events queued for the endpoint."),
        .gauge("wallet_outbox_dead", "Events whose delivery was given up."),
        .gauge(
            "wallet_invariant_violations",
            "Violations of the books' invariants; any value other than 0 is an error."
        ),
        .gauge("wallet_sampled_timestamp_seconds", "Time of the last reading of these figures, in seconds since 1970."),
    ]
}
