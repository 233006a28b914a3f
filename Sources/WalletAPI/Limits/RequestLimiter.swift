import HTTPTypes
import Synchronization

/// Counts the requests of each key in a bucket that fills evenly, in memory.
///
/// A whole quota may be used at once; then there is one more request every `window / quota`. A bucket takes one number,
/// whatever the quota is, and one that is full again is the same as none: forgetting it changes nothing.
final class RequestLimiter<Key: Hashable & Sendable>: Sendable {
    typealias Instant = ContinuousClock.Instant

    private let policy: String
    private let limit: RateLimit
    private let interval: Duration
    private let window: Duration
    private let now: @Sendable () -> Instant
    /// When the bucket of each key is full again.
    private let state: Mutex<Generations<Key, Instant>>

    init(policy: String, limit: RateLimit, now: @escaping @Sendable () -> Instant = { .now }) {
        self.policy = policy
        self.limit = limit
        self.window = .seconds(limit.window)
        self.interval = .seconds(limit.window) / limit.quota
        self.now = now
        self.state = Mutex(Generations(limit, from: now()))
    }

    /// Counts one request, unless the key has used up the quota.
    ///
    /// - Parameter key: Who asks.
    /// - Returns: Whether it was counted, so may be answered, and where the key stands after it.
    func take(_ key: Key) -> (isAllowed: Bool, standing: RateLimitStatus) {
        let now = self.now()
        return self.state.withLock { state in
            state.turn(at: now)
            let full = max(state[key] ?? now, now)
            let next = full + self.interval
            guard next - now <= self.window else { return (false, self.standing(fullIn: full - now)) }
            state.remember(next, of: key)
            return (true, self.standing(fullIn: next - now))
        }
    }

    /// Makes the answer to a key that has used up the quota.
    func refusal(_ standing: RateLimitStatus) -> Problem {
        Problem(
            .tooManyRequests,
            "rate-limited",
            "At most \(self.limit.quota) requests in \(self.limit.window) seconds.",
            headers: standing.headers,
            retryAfter: standing.resetAfter
        )
    }

    private func standing(fullIn wait: Duration) -> RateLimitStatus {
        let remaining = max(Int((self.window - wait).attoseconds / self.interval.attoseconds), 0)
        // There is one more as soon as the bucket lacks one request less.
        let missing = wait - (self.window - self.interval * (remaining + 1))
        return RateLimitStatus(
            policy: self.policy,
            limit: self.limit,
            remaining: min(remaining, self.limit.quota),
            resetAfter: remaining >= self.limit.quota ? 0 : Self.seconds(missing)
        )
    }

    private static func seconds(_ duration: Duration) -> Int {
        let (seconds, rest) = duration.components
        return max(Int(seconds) + (rest > 0 ? 1 : 0), 1)
    }
}
