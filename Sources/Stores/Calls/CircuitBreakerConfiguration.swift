/// When a store's host counts as down, and for how long it is left alone.
public struct CircuitBreakerConfiguration: Sendable, Equatable {
    /// How many outages in a row open the breaker; default 10.
    public var threshold: Int
    /// Inside which time they must fall; default 60 s.
    public var window: Duration
    /// How long the host is left alone before one call tries it again; default 15 s.
    public var openDuration: Duration

    /// Creates the conditions under which a host is left alone.
    /// - Parameters:
    ///   - threshold: how many outages in a row open the breaker.
    ///   - window: inside which time they must fall.
    ///   - openDuration: how long the host is left alone.
    public init(threshold: Int = 10, window: Duration = .seconds(60), openDuration: Duration = .seconds(15)) {
        self.threshold = max(1, threshold)
        self.window = window
        self.openDuration = openDuration
    }
}
