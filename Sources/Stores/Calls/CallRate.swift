import Synchronization

/// Limits the rate of calls to a host to a number of calls per second.
///
/// A second's worth of calls may start immediately; further calls get a pause. If the host requests a rest, calls wait
/// until it is over.
final class CallRate: Sendable {
    /// The time at which a call may start.
    enum Admission: Equatable {
        /// The call may start after this pause; its slot is reserved.
        case admitted(after: Duration)
        /// The pause would exceed the caller's limit; no slot is reserved.
        case refused(retryAfter: Int)
    }

    private struct State {
        /// The time at which the next call is due if calls are evenly spaced.
        var due: ContinuousClock.Instant?
        var restsUntil: ContinuousClock.Instant?
    }

    private let interval: Duration
    private let burst: Duration
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    init(callsPerSecond: Int, now: @escaping @Sendable () -> ContinuousClock.Instant) {
        self.interval = .seconds(1) / max(callsPerSecond, 1)
        self.burst = self.interval * (max(callsPerSecond, 1) - 1)
        self.now = now
    }

    /// Requests a slot for one call.
    /// - Parameter patience: The longest pause that the caller accepts.
    /// - Returns: The pause before the call, or a refusal.
    func admit(within patience: Duration) -> Admission {
        let now = self.now()
        return self.state.withLock { state in
            let due = max(state.due ?? now, now)
            let start = max(due.advanced(by: .zero - self.burst), state.restsUntil ?? now, now)
            let pause = now.duration(to: start)
            guard pause <= patience else { return .refused(retryAfter: pause.wholeSecondsUp) }
            state.due = due.advanced(by: self.interval)
            return .admitted(after: pause)
        }
    }

    /// Delays calls for a while, as the host requested.
    func rest(forSeconds seconds: Int) {
        let end = self.now().advanced(by: .seconds(seconds))
        self.state.withLock { $0.restsUntil = max($0.restsUntil ?? end, end) }
    }
}

extension Duration {
    /// The duration in whole seconds, rounded up; at least 1.
    var wholeSecondsUp: Int {
        max(1, Int(self.components.seconds) + (self.components.attoseconds > 0 ? 1 : 0))
    }
}
