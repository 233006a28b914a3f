import AsyncHTTPClient
import Logging

extension StoreHost {
    /// Creates a host with a circuit breaker and a pace of its own.
    /// - Parameters:
    ///   - name: the host's name in logs.
    ///   - limits: how long, how often and how large.
    ///   - pace: how many calls a second it takes at most; nil for as many as come, until it asks for fewer itself.
    ///   - httpClient: carries the calls.
    ///   - logger: gets host, attempt and status of failures.
    ///   - monotonicClock: the clock of pace, breaker and deadline.
    init(
        name: String,
        limits: StoreCallLimits,
        pace: Int? = nil,
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
        self.rate = CallRate(callsPerSecond: pace ?? 1_000, now: monotonicClock)
        self.waitsForTurn = pace != nil
        self.logger = logger
        self.monotonicClock = monotonicClock
    }
}
