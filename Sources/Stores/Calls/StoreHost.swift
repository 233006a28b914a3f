import AsyncHTTPClient
import Logging

import struct Foundation.Data

/// One host of a store, with retries after temporary failures, a rate limit and a circuit breaker.
///
/// Every call to a store uses this type, so requests must be safe to repeat. Copies share the circuit breaker and the
/// rate limit.
struct StoreHost: Sendable {
    /// A complete answer below 500.
    struct Answer: Sendable {
        let status: Int
        let retryAfter: Int?
        let body: Data
    }

    /// The caller's interpretation of one exchange, and its meaning for the host's health.
    enum Judgement<Value> {
        /// The store has answered; the answer may be a refusal.
        case over(Value, CircuitBreaker.Outcome = .working)
        /// A temporary failure; the store may have sent the number of seconds to wait.
        case again(StoreError, CircuitBreaker.Outcome, seconds: Int?)
    }

    private static let longestRest = 60

    /// The host's name in logs.
    private let name: String
    let limits: StoreCallLimits
    private let call: StoreCall
    private let breaker: CircuitBreaker
    private let rate: CallRate
    /// A Boolean value that indicates whether a call waits for its slot, for at most half of the remaining time,
    /// instead of being refused immediately.
    private let waitsForTurn: Bool
    let logger: Logger
    let monotonicClock: @Sendable () -> ContinuousClock.Instant

    /// Creates a host with its own circuit breaker and rate limit.
    /// - Parameters:
    ///   - name: The host's name in logs.
    ///   - limits: The limits on time, retries and answer size.
    ///   - pace: The maximum number of calls per second; nil for 1,000. Calls are refused while the host requests a
    ///     rest.
    ///   - httpClient: The client that sends the calls.
    ///   - logger: Logs the host, attempt and status of failures.
    ///   - monotonicClock: The clock of the rate limit, the circuit breaker and the deadline.
    init(
        name: String,
        limits: StoreCallLimits,
        pace: Int? = nil,
        httpClient: HTTPClient,
        logger: Logger,
        monotonicClock: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.name = name
        self.limits = limits
        self.call = StoreCall(httpClient: httpClient, maximumResponseBytes: limits.maximumResponseBytes)
        self.breaker = CircuitBreaker(
            configuration: limits.breaker,
            probeTimeout: limits.attemptTimeout * 2,
            now: monotonicClock
        )
        self.rate = CallRate(callsPerSecond: pace ?? 1_000, now: monotonicClock)
        self.waitsForTurn = pace != nil
        self.logger = logger
        self.monotonicClock = monotonicClock
    }

    /// The deadline of a request that starts now.
    var deadline: ContinuousClock.Instant { self.monotonicClock().advanced(by: self.limits.deadline) }

    /// Sends a request until the host answers like a working host.
    /// - Parameter request: The request; it may be sent several times.
    /// - Returns: The answer, with any status below 500.
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

    /// Sends a request until the caller accepts an exchange as final.
    /// - Parameters:
    ///   - request: The request; it may be sent several times.
    ///   - deadline: The time after which no further call is made.
    ///   - judge: Interprets each exchange.
    /// - Returns: The caller's value for the last exchange.
    /// - Throws: ``StoreError``: the last temporary failure, with the last status of the host; `unavailable` at the
    ///   deadline, on cancellation and while the circuit breaker is open; `rateLimited` while the rate limit is
    ///   exceeded.
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
                // The caller was cancelled and aborted the call, which gives no information about the host.
                self.breaker.report(.inconclusive)
                throw self.unavailable()
            }
            switch judge(outcome) {
            case .over(let value, let health):
                self.breaker.report(health)
                return value
            case .again(let error, let health, let wait):
                self.breaker.report(health)
                self.note("a call to a store failed and may be retried", error, attempt: attempt)
                (failure, seconds) = (error.withStatus(of: failure), wait)
            }
        }
        throw failure
    }

    /// Stops calls to the host for a while, as it requested.
    func rest(forSeconds seconds: Int) {
        self.rate.rest(forSeconds: seconds)
    }

    /// Returns the error for a host that gave no usable answer.
    func unavailable(status: Int? = nil, retryAfter: Int? = nil) -> StoreError {
        StoreError(.unavailable, storeStatus: status, retryAfter: retryAfter ?? self.limits.retryAfter)
    }

    /// Waits for a slot; throws if the rate limit is exceeded or the host is down.
    ///
    /// If the first call is refused, the error states that the host was not called.
    private func admit(until deadline: ContinuousClock.Instant, after failure: StoreError?) async throws(StoreError) {
        // Half of the time is reserved for the exchange: a call without time would look like an outage of the store.
        let patience = self.waitsForTurn ? self.remaining(until: deadline) / 2 : .zero
        switch self.rate.admit(within: patience) {
        case .refused(let seconds):
            throw self.refusal(.rateLimited, retryAfter: seconds, after: failure)
        case .admitted(let pause):
            // The sleep ends early only if the caller is cancelled, which is checked next.
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
        self.note("a call to a store was not made: rate limit or outage", error, attempt: nil)
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

    /// Waits between attempts; returns `false` if no time is left for another attempt.
    private func pause(
        before attempt: Int,
        atLeast seconds: Int?,
        until deadline: ContinuousClock.Instant
    ) async -> Bool {
        if attempt > 1 {
            let usual = self.limits.retryDelay * (1 << min(attempt - 2, 10)) * Double.random(in: 0.75...1.25)
            let delay = max(usual, .seconds(seconds ?? 0))
            guard !Task.isCancelled, delay < self.remaining(until: deadline) else { return false }
            // If the caller is cancelled, the sleep ends early and the next attempt is not sent.
            try? await Task.sleep(for: delay)
        }
        return self.remaining(until: deadline) > .zero
    }
}

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
