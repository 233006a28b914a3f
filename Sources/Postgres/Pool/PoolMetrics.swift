import Metrics

/// The metrics that a pool records as it works; the numbers of connections come from ``Pool/status``.
struct PoolMetrics: Sendable {
    private let opening: Timer
    private let failures: Counter
    private let givenUp: Counter
    private let wait: Timer

    init(_ configuration: PoolConfiguration) {
        let labels = [("db.client.connection.pool.name", configuration.name)] + configuration.labels.map { ($0, $1) }
        self.opening = Timer(label: "db_client_connection_create_time_seconds", dimensions: labels)
        self.failures = Counter(label: "wallet_db_connection_failures_total", dimensions: labels)
        self.givenUp = Counter(label: "wallet_db_statements_given_up_total", dimensions: labels)
        self.wait = Timer(label: "db_client_connection_wait_time_seconds", dimensions: labels)
    }

    func noteOpened(since start: ContinuousClock.Instant) { self.opening.record(duration: start.duration(to: .now)) }
    func noteGivenUp() { self.givenUp.increment() }
    func noteFailure() { self.failures.increment() }
    func noteWait(since start: ContinuousClock.Instant) { self.wait.record(duration: start.duration(to: .now)) }
}
