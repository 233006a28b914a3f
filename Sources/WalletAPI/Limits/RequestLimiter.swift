import HTTPTypes
public import Hummingbird
public import Stores
import Synchronization
import Wallet

/// Limits the number of requests from one address; health and readiness probes are not counted.
struct AddressLimitMiddleware: RouterMiddleware {
    typealias Context = AppRequestContext

    private static let uncounted: Set<String> = ["/health", "/ready"]

    let limiter: RequestLimiter<InternetAddress?>
    let proxies: TrustedProxies

    func handle(
        _ request: Request,
        context: AppRequestContext,
        next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        if Self.uncounted.contains(request.uri.path) { return try await next(request, context) }
        let client = self.proxies.client(of: request, context)
        return try await self.limiter.limit(client) { try await next(request, context) }
    }
}

/// Limits the number of requests of one user, before any database query.
struct UserLimitMiddleware: RouterMiddleware {
    typealias Context = UserRequestContext

    let limiter: RequestLimiter<UserID>

    func handle(
        _ request: Request,
        context: UserRequestContext,
        next: (Request, UserRequestContext) async throws -> Response
    ) async throws -> Response {
        try await self.limiter.limit(context.user) { try await next(request, context) }
    }
}

/// Limits the number of sign-in steps from one address, to slow down guessing.
public struct SignInLimit: Sendable {
    private let limiter: RequestLimiter<InternetAddress?>
    private let proxies: TrustedProxies

    /// Creates a limit for sign-ins.
    ///
    /// - Parameters:
    ///   - limit: The number of steps that one address may take; a sign-in has two steps.
    ///   - trustedProxies: The proxies whose forwarding headers are trusted to name the client's address.
    public init(_ limit: RateLimit, trustedProxies: [InternetNetwork]) {
        self.limiter = RequestLimiter(policy: "sign-in", limit: limit)
        self.proxies = TrustedProxies(networks: trustedProxies)
    }

    /// Counts one step.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - context: The request's context.
    /// - Returns: The client's address, and the number of seconds to wait if the address used its quota; nil if the
    ///   step is allowed.
    public func take(_ request: Request, _ context: AppRequestContext) -> (address: String, wait: Int?) {
        let client = self.proxies.client(of: request, context)
        let (isAllowed, standing) = self.limiter.take(client)
        return (client.map { "\($0)" } ?? "unknown", isAllowed ? nil : standing.resetAfter)
    }
}

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

    /// Answers a request if the limit allows it, and adds the limit's state to the response or the refusal.
    ///
    /// - Parameters:
    ///   - key: The key of the client whose bucket is used.
    ///   - answer: A closure that answers the request.
    /// - Returns: The response.
    /// - Throws: ``Problem`` 429 `rate-limited`, or the error that `answer` throws.
    func limit(_ key: Key, _ answer: () async throws -> Response) async throws -> Response {
        let (isAllowed, standing) = self.take(key)
        guard isAllowed else { throw self.refusal(standing) }
        do {
            var response = try await answer()
            response.headers.append(contentsOf: standing.headers)
            return response
        } catch {
            // Unexpected errors are turned into problems further out, where they are logged.
            guard var problem = Problem(error), problem.status.code != 500 else { throw error }
            problem.headers.append(contentsOf: standing.headers)
            throw problem
        }
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

extension HTTPFields {
    /// Appends fields even if fields of the same name exist, because several limits form a list.
    fileprivate mutating func append(contentsOf fields: HTTPFields) {
        for field in fields { self.append(field) }
    }
}

/// A user's use of a limit, in the terms of the draft "RateLimit header fields for HTTP".
struct RateLimitStatus: Sendable, Equatable {
    let policy: String
    let limit: RateLimit
    /// The number of operations left within the current window.
    let remaining: Int
    /// The number of seconds until more operations are allowed.
    let resetAfter: Int

    var headers: HTTPFields {
        [
            .rateLimitPolicy: "\"\(self.policy)\";q=\(self.limit.quota);w=\(self.limit.window)",
            .rateLimit: "\"\(self.policy)\";r=\(self.remaining);t=\(self.resetAfter)",
        ]
    }
}

/// Remembers values by key for at least a time window, in bounded memory however many keys arrive.
///
/// Keys are kept in two generations, and a remembered key goes to the young generation. If the young generation is full
/// or as old as the window, it replaces the old generation, whose values are dropped. So a value is kept for the whole
/// window unless more than `trackedUsers` other keys arrive in it.
struct Generations<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    typealias Instant = ContinuousClock.Instant

    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]
    private var turnedAt: Instant
    private let window: Duration
    private let size: Int

    init(_ limit: RateLimit, from now: Instant) {
        self.turnedAt = now
        self.window = .seconds(limit.window)
        self.size = limit.trackedUsers
    }

    /// The number of remembered keys.
    var count: Int { self.young.count + self.old.keys.count(where: { self.young[$0] == nil }) }

    /// Returns the remembered value of a key.
    subscript(key: Key) -> Value? { self.young[key] ?? self.old[key] }

    mutating func remember(_ value: Value, of key: Key) {
        self.young[key] = value
    }

    /// Replaces the old generation once the young generation is full or its window has passed.
    mutating func turn(at now: Instant) {
        guard now - self.turnedAt >= self.window || self.young.count >= self.size else { return }
        self.old = self.young
        self.young = [:]
        self.turnedAt = now
    }
}
