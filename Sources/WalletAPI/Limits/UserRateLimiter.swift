import HTTPTypes
import Synchronization
import Wallet

/// Counts what each user did within a sliding window, in memory.
///
/// Users live in two generations: whoever acts moves to the young one, and when that is full or a window old, it
/// becomes the old one and the old one is forgotten. So memory is bounded whoever comes, and nobody is forgotten
/// within the window unless more than `trackedUsers` others acted in it.
final class UserRateLimiter: Sendable {
    typealias Instant = ContinuousClock.Instant

    private struct State: Sendable {
        var young: [UserID: [Instant]] = [:]
        var old: [UserID: [Instant]] = [:]
        var turnedAt: Instant
    }

    private let policy: String
    private let limit: RateLimit
    private let now: @Sendable () -> Instant
    private let state: Mutex<State>

    init(policy: String, limit: RateLimit, now: @escaping @Sendable () -> Instant = { .now }) {
        self.policy = policy
        self.limit = limit
        self.now = now
        self.state = Mutex(State(turnedAt: now()))
    }

    /// Counts one use, unless the user has used up the quota.
    ///
    /// - Parameter user: Who uses.
    /// - Returns: Whether it was counted, so may be done.
    func take(_ user: UserID) -> Bool {
        let now = self.now()
        return self.state.withLock { state in
            self.turn(&state, now)
            var uses = self.uses(of: user, in: state, now)
            guard uses.count < self.limit.quota else { return false }
            uses.append(now)
            state.young[user] = uses
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

    /// Tells where a user stands now.
    func standing(of user: UserID) -> RateStanding {
        let now = self.now()
        let uses = self.state.withLock { self.uses(of: user, in: $0, now) }
        let freesIn = uses.first.map { Self.seconds($0 + .seconds(self.limit.window) - now) } ?? 0
        return RateStanding(
            policy: self.policy,
            limit: self.limit,
            remaining: max(self.limit.quota - uses.count, 0),
            resetAfter: freesIn
        )
    }

    private func uses(of user: UserID, in state: State, _ now: Instant) -> [Instant] {
        let start = now - .seconds(self.limit.window)
        return (state.young[user] ?? state.old[user] ?? []).filter { $0 > start }
    }

    private func turn(_ state: inout State, _ now: Instant) {
        let isOld = now - state.turnedAt >= .seconds(self.limit.window)
        guard isOld || state.young.count >= self.limit.trackedUsers else { return }
        state.old = state.young
        state.young = [:]
        state.turnedAt = now
    }

    private static func seconds(_ duration: Duration) -> Int {
        let (seconds, rest) = duration.components
        return max(Int(seconds) + (rest > 0 ? 1 : 0), 1)
    }
}
