import AsyncHTTPClient
import Logging

extension StoreHost {
    /// No more than any of the hosts takes: what slows the calls down is a host's own word.
    private static let callsPerSecond = 1_000

    /// Creates a host with a circuit breaker of its own.
    init(
        name: String,
        limits: StoreCallLimits,
        httpClient: HTTPClient,
        logger: Logger,
        monotonicClock: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.name = name
        self.limits = limits
        self.call = StoreCall(httpClient: httpClient, maximumResponseBytes: limits.maximumResponseBytes)
        self.breaker = CircuitBreaker(
            configuration: limits.breaker,
            probeTimeout: limits.attemptTimeout * 2,
            now: monotonicClock
        )
        self.rate = CallRate(callsPerSecond: Self.callsPerSecond, now: monotonicClock)
        self.logger = logger
        self.monotonicClock = monotonicClock
    }
}
