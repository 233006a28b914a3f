/// The conditions under which a store's host is considered down, and the pause before it is called again.
public struct CircuitBreakerConfiguration: Sendable, Equatable {
    /// The number of consecutive outages that open the breaker; default 10.
    public var threshold: Int
    /// The time window in which these outages must occur; default 60 s.
    public var window: Duration
    /// The time without calls before one probe is admitted; default 15 s.
    public var openDuration: Duration

    /// Creates a configuration.
    /// - Parameters:
    ///   - threshold: The number of consecutive outages that open the breaker; at least 1.
    ///   - window: The time window in which these outages must occur.
    ///   - openDuration: The time without calls before one probe is admitted.
    public init(threshold: Int = 10, window: Duration = .seconds(60), openDuration: Duration = .seconds(15)) {
        self.threshold = max(1, threshold)
        self.window = window
        self.openDuration = openDuration
    }
}
