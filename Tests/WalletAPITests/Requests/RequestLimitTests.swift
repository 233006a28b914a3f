import Foundation
import HTTPTypes
import HummingbirdTesting
import Stores
import Synchronization
import Testing

@testable import WalletAPI

@Suite struct RequestLimitTests {
    /// A monotonic clock that moves only when a test advances it.
    private final class Clock: Sendable {
        private let instant = Mutex(ContinuousClock.now)

        @Sendable
        func now() -> ContinuousClock.Instant { self.instant.withLock { $0 } }

        func advance(_ duration: Duration) { self.instant.withLock { $0 = $0 + duration } }
    }

    @Test func `a quota may be used at once, and is restored evenly`() {
        let clock = Clock()
        let limiter = RequestLimiter<String>(policy: "user", limit: RateLimit(quota: 3, window: 60), now: clock.now)
        for left in [2, 1, 0] {
            let (isAllowed, standing) = limiter.take("anna")
            #expect(isAllowed)
            #expect(standing.remaining == left)
            #expect(standing.resetAfter == 20)
        }
        let refused = limiter.take("anna")
        #expect(!refused.isAllowed)
        #expect(limiter.take("ben").isAllowed)
        let problem = limiter.refusal(refused.standing)
        #expect(problem.headers[.retryAfter] == "20")
        #expect(problem.headers[.rateLimitPolicy] == "\"user\";q=3;w=60")
        #expect(problem.headers[.rateLimit] == "\"user\";r=0;t=20")
        clock.advance(.seconds(20))
        #expect(limiter.take("anna").isAllowed)
        #expect(!limiter.take("anna").isAllowed)
        clock.advance(.seconds(600))
        #expect(limiter.take("anna").standing.remaining == 2)
    }

    @Test func `a large quota is counted exactly`() {
        let clock = Clock()
        let limiter = RequestLimiter<Int>(policy: "user", limit: RateLimit(quota: 70_001, window: 60), now: clock.now)
        var allowed = 0
        for _ in 0..<80_000 where limiter.take(1).isAllowed { allowed += 1 }
        #expect(allowed == 70_001)
    }

    @Test func `memory is bounded however many keys arrive`() {
        var memory = Generations<Int, Int>(RateLimit(trackedUsers: 100), from: .now)
        for key in 0..<10_000 {
            memory.turn(at: .now)
            memory.remember(key, of: key)
        }
        #expect(memory.count <= 200)
        #expect(memory[9_999] == 9_999)
        #expect(memory[0] == nil)
    }

    @Test func `without a configured limit no request is refused`() {
        #expect(HTTPLimits().requestsPerUser == nil)
        #expect(HTTPLimits().requestsPerAddress == nil)
        #expect(HTTPLimits().trustedProxies.isEmpty)
    }

    @Test func `an address that asks too often is answered when to come again; probes are not counted`() async throws {
        // In a long window, nothing is restored while a busy machine sends the requests.
        let limits = HTTPLimits { $0.requestsPerAddress = RateLimit(quota: 3, window: 3_600) }
        try await ServerHarness.withoutDatabase(setup: .live, limits: limits) { server in
            for left in [2, 1, 0] {
                #expect(try await server.send(.get, "/health").status == 200)
                let answer = try await server.send(.get, "/nowhere")
                #expect(answer.problem == "route-not-found")
                #expect(answer.headers[.rateLimit]?.hasPrefix("\"address\";r=\(left);t=") == true)
            }
            // A client cannot evade the limit with its own X-Forwarded-For header.
            let refused = try await server.send(.get, "/nowhere", headers: ["X-Forwarded-For": "203.0.113.9"])
            #expect(refused.problem == "rate-limited")
            #expect(refused.status == 429)
            #expect(refused.headers[.retryAfter] != nil)
            #expect(refused.headers[.rateLimitPolicy] == "\"address\";q=3;w=3600")
            #expect(try await server.send(.get, "/health").status == 200)
        }
    }

    @Test func `a trusted proxy's client addresses are used`() async throws {
        let networks = try ["127.0.0.0/8", "::1"].map { try #require(InternetNetwork($0)) }
        let limits = HTTPLimits {
            $0.requestsPerAddress = RateLimit(quota: 1, window: 3_600)
            $0.trustedProxies = networks
        }
        try await ServerHarness.withoutDatabase(setup: .live, limits: limits) { server in
            for (client, status) in [("198.51.100.1", 404), ("198.51.100.2", 404), ("198.51.100.1", 429)] {
                let answer = try await server.send(.get, "/nowhere", headers: ["X-Forwarded-For": "1.2.3.4, \(client)"])
                #expect(answer.status == status)
            }
        }
    }

    @Test func `a user who asks too often is refused before the database is asked`() async throws {
        let limits = HTTPLimits { $0.requestsPerUser = RateLimit(quota: 2, window: 3_600) }
        try await ServerHarness.withoutDatabase(limits: limits) { server in
            let (anna, ben) = (ServerHarness.someone(), ServerHarness.someone())
            for _ in 0..<2 {
                let outage = try await server.send(.get, "/balance", as: anna)
                #expect(outage.status == 503)
                #expect(outage.headers[.rateLimitPolicy] == "\"user\";q=2;w=3600")
            }
            #expect(try await server.send(.get, "/balance", as: anna).problem == "rate-limited")
            #expect(try await server.send(.get, "/balance", as: ben).status == 503)
            #expect(try await server.send(.get, "/packs").headers[.rateLimit] == nil)
        }
    }

    private static let hops: [(peer: String, fields: [String], client: String)] = [
        // The header is ignored unless the peer is a trusted proxy.
        ("192.0.2.1", ["203.0.113.5"], "192.0.2.1"), ("10.0.0.1", [], "10.0.0.1"),
        // The nearest proxy appends last; a hop counts only if the nearer hop is trusted.
        ("10.0.0.1", ["203.0.113.5"], "203.0.113.5"), ("10.0.0.1", ["1.1.1.1, 203.0.113.5"], "203.0.113.5"),
        ("10.0.0.1", ["1.1.1.1", "203.0.113.5, 10.0.0.2"], "203.0.113.5"),
        ("10.0.0.1", ["nonsense, 10.0.0.2"], "10.0.0.2"), ("10.0.0.1", ["unknown"], "10.0.0.1"),
        ("10.0.0.1", ["203.0.113.5:4711"], "203.0.113.5"), ("10.0.0.1", ["2130706433"], "10.0.0.1"),
        ("10.0.0.1", ["[2001:db8:1:2:3::9]:443"], "2001:db8:1:2::"),
        ("10.0.0.1", ["2001:db8:1:2:3::9"], "2001:db8:1:2::"),
        ("::ffff:10.0.0.1", ["203.0.113.5"], "203.0.113.5"), ("10.0.0.1", [",,"], "10.0.0.1"),
    ]

    @Test(arguments: Self.hops)
    func `the last trusted proxy determines the client`(peer: String, fields: [String], client: String) throws {
        let proxies = TrustedProxies(networks: [try #require(InternetNetwork("10.0.0.0/8"))])
        let found = proxies.client(behind: InternetAddress(peer), forwardedFor: fields)
        #expect(found == InternetAddress(client))
    }
}
