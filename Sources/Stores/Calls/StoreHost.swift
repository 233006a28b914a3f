import Logging

import struct Foundation.Data

/// One host of a store: asked again after passing failures, and left alone for a while when it is down or wants rest.
///
/// Only questions that may be asked twice belong here. Copies share the circuit breaker and the rest.
struct StoreHost: Sendable {
    /// A complete answer below 500.
    struct Answer: Sendable {
        let status: Int
        let retryAfter: Int?
        let body: Data
    }

    private enum Attempt {
        case answered(Answer)
        case failed(StoreError)
        /// The breaker is open, or the host wants fewer calls: nothing was sent.
        case left(retryAfter: Int)
    }

    private static let longestRest = 60

    /// The host's name in logs.
    let name: String
    let limits: StoreCallLimits
    let call: StoreCall
    let breaker: CircuitBreaker
    let rate: CallRate
    let logger: Logger
    let monotonicClock: @Sendable () -> ContinuousClock.Instant

    /// Asks until the host answers as a working one does.
    /// - Parameter request: the question; it may be sent several times.
    /// - Returns: the answer, whatever its status below 500.
    /// - Throws: ``StoreError`` `unavailable` after outages, at the deadline, or while the host is left alone.
    func answer(to request: StoreCall.Request) async throws(StoreError) -> Answer {
        let deadline = self.monotonicClock().advanced(by: self.limits.deadline)
        var failure = StoreError(.unavailable, retryAfter: self.limits.retryAfter)
        for attempt in 1...max(self.limits.maximumAttempts, 1) {
            guard await self.pause(before: attempt, until: deadline) else { break }
            switch await self.attempt(request, until: deadline) {
            case .answered(let answer): return answer
            case .failed(let error): failure = error
            case .left(let seconds):
                throw StoreError(
                    .unavailable,
                    storeStatus: failure.storeStatus,
                    retryAfter: seconds,
                    isUnasked: attempt == 1
                )
            }
        }
        throw failure
    }

    private func attempt(_ request: StoreCall.Request, until deadline: ContinuousClock.Instant) async -> Attempt {
        if case .refused(let seconds) = self.rate.admit(within: .zero) { return .left(retryAfter: seconds) }
        if case .refused(let seconds) = self.breaker.admit() { return .left(retryAfter: seconds) }
        let remaining = self.monotonicClock().duration(to: deadline)
        let outcome = await self.call.send(request, within: min(self.limits.attemptTimeout, remaining))
        // A caller who gives up breaks the call off; that says nothing of the host.
        let health: CircuitBreaker.Outcome = Task.isCancelled ? .inconclusive : .outage
        switch outcome {
        case .answered(let status, let retryAfter, let body) where status < 500:
            self.breaker.report(.working)
            if status == 429 { self.rest(forSeconds: retryAfter ?? self.limits.retryAfter) }
            return .answered(Answer(status: status, retryAfter: retryAfter, body: body))
        case .answered(let status, let retryAfter, _):
            self.breaker.report(.outage)
            return .failed(self.outage(status: status, retryAfter: retryAfter))
        case .unreachable:
            self.breaker.report(health)
            return .failed(self.outage())
        case .unusable:
            self.breaker.report(.inconclusive)
            return .failed(self.outage())
        }
    }

    /// A host that wants fewer calls gets none for a while, but not for so long that one busy job closes the shop.
    private func rest(forSeconds seconds: Int) {
        self.rate.rest(forSeconds: min(seconds, Self.longestRest))
    }

    private func outage(status: Int? = nil, retryAfter: Int? = nil) -> StoreError {
        let place: Logger.Metadata = ["host": "\(self.name)", "status": "\(status.map(String.init) ?? "none")"]
        self.logger.warning("a store's host gave no usable answer", metadata: place)
        return StoreError(.unavailable, storeStatus: status, retryAfter: retryAfter ?? self.limits.retryAfter)
    }

    /// Waits between attempts; false when no time is left for another.
    private func pause(before attempt: Int, until deadline: ContinuousClock.Instant) async -> Bool {
        if attempt > 1 {
            let delay = self.limits.retryDelay * (1 << min(attempt - 2, 10)) * Double.random(in: 0.75...1.25)
            guard !Task.isCancelled, delay < self.monotonicClock().duration(to: deadline) else { return false }
            // Cut short for a caller who gave up, whose next attempt then fails at once.
            try? await Task.sleep(for: delay)
        }
        return self.monotonicClock().duration(to: deadline) > .zero
    }
}
