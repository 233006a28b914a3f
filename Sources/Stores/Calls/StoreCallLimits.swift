/// The timeouts and retries of calls to a store, and the conditions under which its host is considered down.
public struct StoreCallLimits: Sendable, Equatable {
    /// The timeout of one call, including connecting; default 10 s.
    public var attemptTimeout: Duration
    /// The timeout of a request with all its retries; default 25 s.
    public var deadline: Duration
    /// The maximum number of calls per request while the store returns temporary failures; default 3.
    public var maximumAttempts: Int
    /// The pause before the second call, doubled before each further one, with jitter; default 250 ms.
    public var retryDelay: Duration
    /// The maximum size of an answer in bytes; default 8 MiB.
    public var maximumResponseBytes: Int
    /// The circuit breaker settings of the host.
    public var breaker: CircuitBreakerConfiguration
    /// The number of seconds before a retry if the store does not specify it; default 5.
    public var retryAfter: Int

    /// Creates the default limits.
    public init() {
        self.attemptTimeout = .seconds(10)
        self.deadline = .seconds(25)
        self.maximumAttempts = 3
        self.retryDelay = .milliseconds(250)
        self.maximumResponseBytes = 8 * 1_024 * 1_024
        self.breaker = CircuitBreakerConfiguration()
        self.retryAfter = 5
    }
}
