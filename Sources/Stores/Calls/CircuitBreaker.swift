import Synchronization

/// Stops calls to a host that is down, so that callers fail fast and the host can recover.
///
/// The breaker opens after a number of consecutive outages within a window, stays open for a while, then admits one
/// probe. Any answer of a working host closes it again. A rejected receipt is never an outage: otherwise forged
/// receipts could block the store for all users.
final class CircuitBreaker: Sendable {
    /// The permission to make a call.
    enum Admission: Equatable {
        case admitted
        case refused(retryAfter: Int)
    }

    /// The outcome of an admitted call.
    enum Outcome {
        /// The host answered like a working host, even if it refused the request.
        case working
        /// Timeout, lost connection, HTTP 5xx, or an outage status of the host.
        case outage
        /// The outcome gives no information about the host's health.
        case inconclusive
    }

    private struct State {
        var outages: [ContinuousClock.Instant] = []
        var openUntil: ContinuousClock.Instant?
        var probeUntil: ContinuousClock.Instant?
    }

    private let configuration: CircuitBreakerConfiguration
    private let probeTimeout: Duration
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    /// Creates a breaker; a probe that never reports its outcome stops blocking others after `probeTimeout`.
    init(
        configuration: CircuitBreakerConfiguration,
        probeTimeout: Duration,
        now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.configuration = configuration
        self.probeTimeout = probeTimeout
        self.now = now
    }

    /// Requests permission for one call; the caller must report the outcome of an admitted call.
    func admit() -> Admission {
        let now = self.now()
        return self.state.withLock { state in
            guard let openUntil = state.openUntil else { return .admitted }
            if now < openUntil { return .refused(retryAfter: now.duration(to: openUntil).wholeSecondsUp) }
            if let probeUntil = state.probeUntil, now < probeUntil { return .refused(retryAfter: 1) }
            state.probeUntil = now.advanced(by: self.probeTimeout)
            return .admitted
        }
    }

    /// Reports the outcome of an admitted call.
    func report(_ outcome: Outcome) {
        let now = self.now()
        self.state.withLock { state in
            switch outcome {
            case .working: state = State()
            case .outage: self.count(at: now, in: &state)
            case .inconclusive: state.probeUntil = nil
            }
        }
    }

    private func count(at now: ContinuousClock.Instant, in state: inout State) {
        let windowStart = now.advanced(by: .zero - self.configuration.window)
        state.outages.append(now)
        state.outages = Array(state.outages.filter { $0 > windowStart }.suffix(self.configuration.threshold))
        // A failed probe opens the breaker again immediately.
        guard state.probeUntil != nil || state.outages.count >= self.configuration.threshold else { return }
        state.openUntil = now.advanced(by: self.configuration.openDuration)
        state.probeUntil = nil
    }
}

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
