/// How long a store's server API may take, how often it is asked again, and when it counts as down.
public struct StoreCallLimits: Sendable, Equatable {
    /// How long one call may take, connection included; default 10 s.
    public var attemptTimeout: Duration
    /// How long a question may take with all its calls; default 25 s.
    public var deadline: Duration
    /// How often one question is sent while the store gives passing failures; default 3.
    public var maximumAttempts: Int
    /// The pause before the second call, doubled before each further one, with jitter; default 250 ms.
    public var retryDelay: Duration
    /// How large an answer may be; default 8 MiB.
    public var maximumResponseBytes: Int
    /// When the host counts as down.
    public var breaker: CircuitBreakerConfiguration
    /// The seconds in `Retry-After` where the store does not name them; default 5.
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
