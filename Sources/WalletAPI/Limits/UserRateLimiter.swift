import HTTPTypes
import StoreSync
import Synchronization
package import Wallet

/// Limits the operations of each user within a sliding window, in memory.
///
/// The limiter remembers the time of each use, so the quota is exact in every window. Use it for rare and expensive
/// operations, and ``RequestLimiter`` for frequent ones.
package final class UserRateLimiter: Sendable {
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

    /// Answers a request and adds the user's rate-limit state to every response, including refusals.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - work: A closure that creates the response.
    /// - Returns: The response with the user's rate-limit headers.
    /// - Throws: ``Problem`` with these headers, or an unexpected error.
    package func answer<Answer: Encodable>(
        _ user: UserID,
        _ work: () async throws -> Answer
    ) async throws -> JSONAnswer<Answer> {
        do {
            let answer = try await work()
            return JSONAnswer(answer, headers: self.standing(of: user).headers)
        } catch let error as StoreSyncError where error.code == .rateLimited {
            throw self.refusal(of: user)
        } catch {
            guard var problem = Problem(error) else { throw error }
            for field in self.standing(of: user).headers { problem.headers[field.name] = field.value }
            throw problem
        }
    }

    /// Counts one use unless the user has used the quota.
    ///
    /// - Parameter user: The user.
    /// - Returns: A Boolean value that indicates whether the use was counted and is allowed.
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

    /// Returns the problem for a user who has used the quota.
    func refusal(of user: UserID) -> Problem {
        let standing = self.standing(of: user)
        return Problem(
            .tooManyRequests,
            "rate-limited",
            "The limit is \(self.limit.quota) store requests in \(self.limit.window) seconds.",
            headers: standing.headers,
            retryAfter: standing.resetAfter
        )
    }

    /// Returns the user's current state against the limit.
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
