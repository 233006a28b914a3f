import Foundation
import HTTPTypes
import Synchronization
import Testing
import Wallet

@testable import WalletAPI

@Suite struct RateLimiterTests {
    /// A monotonic clock that moves only when a test advances it.
    private final class Clock: Sendable {
        private let instant = Mutex(ContinuousClock.now)

        @Sendable
        func now() -> ContinuousClock.Instant { self.instant.withLock { $0 } }

        func advance(_ duration: Duration) { self.instant.withLock { $0 = $0 + duration } }
    }

    private let clock = Clock()
    private let anna = UserID(rawValue: "anna")
    private let ben = UserID(rawValue: "ben")

    private func limiter(_ limit: RateLimit) -> UserRateLimiter {
        UserRateLimiter(policy: "receipts", limit: limit, now: self.clock.now)
    }

    @Test func `the quota applies to any window and to each user separately`() {
        let limiter = self.limiter(RateLimit(quota: 3, window: 60))
        for _ in 0..<3 {
            #expect(limiter.take(self.anna))
            self.clock.advance(.seconds(10))
        }
        #expect(!limiter.take(self.anna))
        #expect(limiter.take(self.ben))
        // After 60 seconds, only the first use leaves the window.
        self.clock.advance(.seconds(30))
        #expect(limiter.take(self.anna))
        #expect(!limiter.take(self.anna))
    }

    @Test func `the refusal has the time to wait`() {
        let limiter = self.limiter(RateLimit(quota: 1, window: 60))
        #expect(limiter.take(self.anna))
        self.clock.advance(.milliseconds(20_500))
        #expect(!limiter.take(self.anna))
        let problem = limiter.refusal(of: self.anna)
        #expect(problem.status == .tooManyRequests)
        #expect(problem.headers[.retryAfter] == "40")
        #expect(problem.headers[.rateLimitPolicy] == "\"receipts\";q=1;w=60")
        #expect(problem.headers[.rateLimit] == "\"receipts\";r=0;t=40")
    }

    @Test func `memory is bounded and entries in the window are kept up to the bound`() {
        let limiter = self.limiter(RateLimit(quota: 1, window: 60, trackedUsers: 100))
        #expect(limiter.take(self.anna))
        for index in 0..<100 { #expect(limiter.take(UserID(rawValue: "user-\(index)"))) }
        #expect(!limiter.take(self.anna))
        // After two hundred further users, anna's entry has been evicted, because the memory is bounded.
        for index in 100..<300 { #expect(limiter.take(UserID(rawValue: "user-\(index)"))) }
        #expect(limiter.take(self.anna))
    }

    @Test func `a thousand at once get the quota exactly`() async {
        let limiter = self.limiter(RateLimit(quota: 10, window: 60))
        let taken = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<1_000 { group.addTask { limiter.take(self.anna) } }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(taken == 10)
    }
}
