import Metrics

/// What a pool measures as it goes; how many connections there are is read from ``Pool/status``.
struct PoolMetrics: Sendable {
    private let opened: Counter
    private let failures: Counter
    private let wait: Timer

    init(pool name: String) {
        let labels = [("pool", name)]
        self.opened = Counter(label: "wallet_pool_connections_opened_total", dimensions: labels)
        self.failures = Counter(label: "wallet_pool_connection_failures_total", dimensions: labels)
        self.wait = Timer(label: "wallet_pool_wait_seconds", dimensions: labels)
    }

    func noteOpened() { self.opened.increment() }
    func noteFailure() { self.failures.increment() }
    func noteWait(since start: ContinuousClock.Instant) { self.wait.record(duration: start.duration(to: .now)) }
}
