import Synchronization

/// Spreads calls to a host, so that it is never asked for more than a number of calls a second.
///
/// A second's worth of calls may go at once; further ones learn how long to wait. A host that asks for rest gets it.
final class CallRate: Sendable {
    /// When a call may go.
    enum Admission: Equatable {
        /// After this pause; its place is taken.
        case admitted(after: Duration)
        /// The pause would be longer than the caller has; its place is left to others.
        case refused(retryAfter: Int)
    }

    private struct State {
        /// When the next call would be due if calls came one by one.
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

    /// Asks for one call's place.
    /// - Parameter patience: the longest pause that is worth the wait.
    /// - Returns: when the call may go.
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

    /// Leaves the host alone for a while, as it asked.
    func rest(forSeconds seconds: Int) {
        let end = self.now().advanced(by: .seconds(seconds))
        self.state.withLock { $0.restsUntil = max($0.restsUntil ?? end, end) }
    }
}

extension Duration {
    /// In seconds, a part of one counted as one; at least 1.
    fileprivate var wholeSecondsUp: Int {
        max(1, Int(self.components.seconds) + (self.components.attoseconds > 0 ? 1 : 0))
    }
}
