import AsyncHTTPClient
import Logging

extension StoreHost {
    /// Creates a host with its own circuit breaker and rate limit.
    /// - Parameters:
    ///   - name: The host's name in logs.
    ///   - limits: The limits on time, retries and answer size.
    ///   - pace: The maximum number of calls per second; nil for 1,000. Calls are refused while the host requests a
    ///     rest.
    ///   - httpClient: The client that sends the calls.
    ///   - logger: Logs the host, attempt and status of failures.
    ///   - monotonicClock: The clock of the rate limit, the circuit breaker and the deadline.
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
