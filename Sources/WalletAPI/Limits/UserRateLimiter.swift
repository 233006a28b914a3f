import HTTPTypes
import Synchronization
import Wallet

/// Counts what each user did within a sliding window, in memory.
///
/// Every use is remembered, so the quota holds for any window: for what is rare and dear. ``RequestLimiter`` is for
/// what is frequent.
final class UserRateLimiter: Sendable {
    typealias Instant = ContinuousClock.Instant

    private let policy: String
    private let limit: RateLimit
    private let now: @Sendable () -> Instant
    private let state: Mutex<Generations<UserID, [Instant]>>

    init(policy: String, limit: RateLimit, now: @escaping @Sendable () -> Instant = { .now }) {
        self.policy = policy
        self.limit = limit
        self.now = now
        self.state = Mutex(Generations(limit, from: now()))
    }

    /// Counts one use, unless the user has used up the quota.
    ///
    /// - Parameter user: Who uses.
    /// - Returns: Whether it was counted, so may be done.
    func take(_ user: UserID) -> Bool {
        let now = self.now()
        return self.state.withLock { state in
            state.turn(at: now)
            var uses = self.uses(of: user, in: state, now)
            guard uses.count < self.limit.quota else { return false }
            uses.append(now)
            state.remember(uses, of: user)
            return true
        }
    }

    /// Makes the answer to a user who has used up the quota.
    func refusal(of user: UserID) -> Problem {
        let standing = self.standing(of: user)
        return Problem(
            .tooManyRequests,
            "rate-limited",
            "At most \(self.limit.quota) times in \(self.limit.window) seconds.",
            headers: standing.headers,
            retryAfter: standing.resetAfter
        )
    }

    /// Returns where a user stands now.
    func standing(of user: UserID) -> RateLimitStatus {
        let now = self.now()
        let uses = self.state.withLock { self.uses(of: user, in: $0, now) }
        let freesIn = uses.first.map { Self.seconds($0 + .seconds(self.limit.window) - now) } ?? 0
        return RateLimitStatus(
            policy: self.policy,
            limit: self.limit,
            remaining: max(self.limit.quota - uses.count, 0),
            resetAfter: freesIn
        )
    }

    private func uses(of user: UserID, in state: Generations<UserID, [Instant]>, _ now: Instant) -> [Instant] {
        let start = now - .seconds(self.limit.window)
        return (state[user] ?? []).filter { $0 > start }
    }

    private static func seconds(_ duration: Duration) -> Int {
        let (seconds, rest) = duration.components
        return max(Int(seconds) + (rest > 0 ? 1 : 0), 1)
    }
}
