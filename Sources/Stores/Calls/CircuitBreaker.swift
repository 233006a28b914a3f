import Synchronization

/// Keeps calls away from a host that is down, so that callers learn it at once and the host can recover.
///
/// It opens after a number of outages in a row inside a window, stays open for a while, then lets one probe through.
/// Any answer that shows the host at work closes it again. What the host thinks of a receipt is never an outage:
/// otherwise anyone with a forged receipt could close the shop for all.
final class CircuitBreaker: Sendable {
    /// What a call may do now.
    enum Admission: Equatable {
        case admitted
        case refused(retryAfter: Int)
    }

    /// How a call that was admitted went.
    enum Outcome {
        /// The host answered as a working host does, whatever it answered.
        case working
        /// Timeout, lost connection, HTTP 5xx, or the host's own word for an outage.
        case outage
        /// Neither: says nothing about the host.
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

    /// A probe that never reports back stops blocking others after `probeTimeout`.
    init(
        configuration: CircuitBreakerConfiguration,
        probeTimeout: Duration,
        now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.configuration = configuration
        self.probeTimeout = probeTimeout
        self.now = now
    }

    /// Asks leave for one call; an admitted one must be reported.
    func admit() -> Admission {
        let now = self.now()
        return self.state.withLock { state in
            guard let openUntil = state.openUntil else { return .admitted }
            if now < openUntil { return .refused(retryAfter: Self.seconds(from: now, to: openUntil)) }
            if let probeUntil = state.probeUntil, now < probeUntil { return .refused(retryAfter: 1) }
            state.probeUntil = now.advanced(by: self.probeTimeout)
            return .admitted
        }
    }

    /// Reports how an admitted call went.
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
        // A failed probe opens at once: the host was given its chance.
        guard state.probeUntil != nil || state.outages.count >= self.configuration.threshold else { return }
        state.openUntil = now.advanced(by: self.configuration.openDuration)
        state.probeUntil = nil
    }

    private static func seconds(from now: ContinuousClock.Instant, to end: ContinuousClock.Instant) -> Int {
        let parts = now.duration(to: end).components
        return max(1, Int(parts.seconds) + (parts.attoseconds > 0 ? 1 : 0))
    }
}
