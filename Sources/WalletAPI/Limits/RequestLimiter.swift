import HTTPTypes
import Synchronization

/// Limits the requests of each key with a token bucket that refills evenly, in memory.
///
/// A client may use the whole quota at once; after that, one more request is allowed every `window / quota`. The
/// limiter stores one number for each bucket, whatever the quota is. A full bucket needs no entry, so the limiter can
/// drop it without effect.
final class RequestLimiter<Key: Hashable & Sendable>: Sendable {
    typealias Instant = ContinuousClock.Instant

    private let policy: String
    private let limit: RateLimit
    private let interval: Duration
    private let window: Duration
    private let now: @Sendable () -> Instant
    /// The time at which each key's bucket is full again.
    private let state: Mutex<Generations<Key, Instant>>

    init(policy: String, limit: RateLimit, now: @escaping @Sendable () -> Instant = { .now }) {
        self.policy = policy
        self.limit = limit
        self.window = .seconds(limit.window)
        self.interval = .seconds(limit.window) / limit.quota
        self.now = now
        self.state = Mutex(Generations(limit, from: now()))
    }

    /// Counts one request unless the key has used its quota.
    ///
    /// - Parameter key: The key of the client whose bucket is used.
    /// - Returns: Whether the request was counted and may be answered, and the key's state after it.
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

    /// Returns the problem for a key that has used its quota.
    func refusal(_ standing: RateLimitStatus) -> Problem {
        Problem(
            .tooManyRequests,
            "rate-limited",
            "The limit is \(self.limit.quota) requests in \(self.limit.window) seconds.",
            headers: standing.headers,
            retryAfter: standing.resetAfter
        )
    }

    private func standing(fullIn wait: Duration) -> RateLimitStatus {
        let remaining = max(Int((self.window - wait).attoseconds / self.interval.attoseconds), 0)
        // One more request is allowed as soon as the bucket lacks one request less.
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
