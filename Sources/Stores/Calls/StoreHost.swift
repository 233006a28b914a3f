import Logging

import struct Foundation.Data

/// One host of a store: asked again after passing failures, at its pace, and left alone for a while when it is down.
///
/// Every call to a store goes through here. Only questions that may be asked twice belong here. Copies share the
/// circuit breaker and the pace.
struct StoreHost: Sendable {
    /// A complete answer below 500.
    struct Answer: Sendable {
        let status: Int
        let retryAfter: Int?
        let body: Data
    }

    /// What the caller makes of one exchange, and what that says of the host's health.
    enum Judgement<Value> {
        /// The store has answered, be it by a refusal.
        case over(Value, CircuitBreaker.Outcome = .working)
        /// A passing failure; the store may have named the seconds to wait.
        case again(StoreError, CircuitBreaker.Outcome, seconds: Int?)
    }

    private static let longestRest = 60

    /// The host's name in logs.
    let name: String
    let limits: StoreCallLimits
    let call: StoreCall
    let breaker: CircuitBreaker
    let rate: CallRate
    /// Whether a call waits for its turn, for half of the time that is left, rather than being refused at once.
    let waitsForTurn: Bool
    let logger: Logger
    let monotonicClock: @Sendable () -> ContinuousClock.Instant

    /// When a question that is asked now must be answered.
    var deadline: ContinuousClock.Instant { self.monotonicClock().advanced(by: self.limits.deadline) }

    /// Asks until the host answers as a working one does.
    /// - Parameter request: the question; it may be sent several times.
    /// - Returns: the answer, whatever its status below 500.
    /// - Throws: ``StoreError`` as ``ask(_:until:_:)``.
    func answer(to request: StoreCall.Request) async throws(StoreError) -> Answer {
        try await self.ask(request, until: self.deadline) { outcome in
            switch outcome {
            case .answered(let status, let retryAfter, let body) where status < 500:
                if status == 429 { self.rest(forSeconds: min(retryAfter ?? self.limits.retryAfter, Self.longestRest)) }
                return .over(Answer(status: status, retryAfter: retryAfter, body: body))
            case .answered(let status, let retryAfter, _):
                return .again(self.unavailable(status: status, retryAfter: retryAfter), .outage, seconds: nil)
            case .unreachable: return .again(self.unavailable(), .outage, seconds: nil)
            case .unusable: return .again(self.unavailable(), .inconclusive, seconds: nil)
            }
        }
    }

    /// Asks until the caller is satisfied.
    /// - Parameters:
    ///   - request: the question; it may be sent several times.
    ///   - deadline: when to give up.
    ///   - judge: makes something of each exchange.
    /// - Returns: what the caller made of the last exchange.
    /// - Throws: ``StoreError``: the last passing failure, with the last status that the host gave; `unavailable` at the deadline, where the caller goes away
    ///   and while the host is left alone; `rateLimited` while it wants fewer calls.
    func ask<Value>(
        _ request: StoreCall.Request,
        until deadline: ContinuousClock.Instant,
        _ judge: (StoreCall.Outcome) -> Judgement<Value>
    ) async throws(StoreError) -> Value {
        var failure = self.unavailable()
        var seconds: Int?
        for attempt in 1...max(self.limits.maximumAttempts, 1) {
            guard await self.pause(before: attempt, atLeast: seconds, until: deadline) else { break }
            try await self.admit(until: deadline, after: attempt == 1 ? nil : failure)
            let timeout = min(self.limits.attemptTimeout, self.remaining(until: deadline))
            let outcome = await self.call.send(request, within: timeout)
            guard !Task.isCancelled else {
                // A caller who goes away breaks the call off; that says nothing of the host.
                self.breaker.report(.inconclusive)
                throw self.unavailable()
            }
            switch judge(outcome) {
            case .over(let value, let health):
                self.breaker.report(health)
                return value
            case .again(let error, let health, let wait):
                self.breaker.report(health)
                self.note("a store's host asks for another attempt", error, attempt: attempt)
                (failure, seconds) = (error.withStatus(of: failure), wait)
            }
        }
        throw failure
    }

    /// Sends the host no calls for a while, as it asked.
    func rest(forSeconds seconds: Int) {
        self.rate.rest(forSeconds: seconds)
    }

    /// The failure of a host that gave no usable answer.
    func unavailable(status: Int? = nil, retryAfter: Int? = nil) -> StoreError {
        StoreError(.unavailable, storeStatus: status, retryAfter: retryAfter ?? self.limits.retryAfter)
    }

    /// Takes a turn; refuses where the host wants fewer calls or is down.
    ///
    /// A first call that was refused asked nothing.
    private func admit(until deadline: ContinuousClock.Instant, after failure: StoreError?) async throws(StoreError) {
        // Half the time is kept for the exchange: one without time would look like an outage of the store.
        let patience = self.waitsForTurn ? self.remaining(until: deadline) / 2 : .zero
        switch self.rate.admit(within: patience) {
        case .refused(let seconds):
            throw self.refusal(.rateLimited, retryAfter: seconds, after: failure)
        case .admitted(let pause):
            // Cut short only when the caller has gone, which is looked at next.
            if pause > .zero { try? await Task.sleep(for: pause) }
        }
        guard !Task.isCancelled else { throw self.unavailable() }
        if case .refused(let seconds) = self.breaker.admit() {
            throw self.refusal(.unavailable, retryAfter: seconds, after: failure)
        }
    }

    private func refusal(_ code: StoreError.Code, retryAfter seconds: Int, after failure: StoreError?) -> StoreError {
        let error = StoreError(
            code,
            storeStatus: failure?.storeStatus,
            retryAfter: seconds,
            isUnasked: failure == nil
        )
        self.note("a store's host is left alone", error, attempt: nil)
        return error
    }

    private func note(_ message: Logger.Message, _ error: StoreError, attempt: Int?) {
        self.logger.warning(
            message,
            metadata: [
                "host": "\(self.name)", "status": "\(error.storeStatus.map(String.init) ?? "none")",
                "attempt": "\(attempt.map(String.init) ?? "none")",
            ]
        )
    }

    private func remaining(until deadline: ContinuousClock.Instant) -> Duration {
        self.monotonicClock().duration(to: deadline)
    }

    /// Waits between attempts; false when no time is left for another.
    private func pause(
        before attempt: Int,
        atLeast seconds: Int?,
        until deadline: ContinuousClock.Instant
    ) async -> Bool {
        if attempt > 1 {
            let usual = self.limits.retryDelay * (1 << min(attempt - 2, 10)) * Double.random(in: 0.75...1.25)
            let delay = max(usual, .seconds(seconds ?? 0))
            guard !Task.isCancelled, delay < self.remaining(until: deadline) else { return false }
            // Cut short for a caller who goes away, whose next attempt is then not sent.
            try? await Task.sleep(for: delay)
        }
        return self.remaining(until: deadline) > .zero
    }
}
