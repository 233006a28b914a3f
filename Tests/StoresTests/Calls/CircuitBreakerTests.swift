import Foundation
import Testing

@testable import Stores

@Suite
struct CircuitBreakerTests {
    private let clock = ManualClock()

    private func breaker() -> CircuitBreaker {
        CircuitBreaker(
            configuration: CircuitBreakerConfiguration(threshold: 3, window: .seconds(60), openDuration: .seconds(15)),
            probeTimeout: .seconds(20),
            now: { self.clock.now }
        )
    }

    private func fail(_ breaker: CircuitBreaker, times: Int) {
        for _ in 0..<times {
            #expect(breaker.admit() == .admitted)
            breaker.report(.outage)
        }
    }

    private func isOpen(_ breaker: CircuitBreaker) -> Bool {
        if case .refused = breaker.admit() { true } else { false }
    }

    @Test
    func `the breaker opens after the configured number of consecutive outages`() {
        let breaker = self.breaker()
        self.fail(breaker, times: 3)
        #expect(breaker.admit() == .refused(retryAfter: 15))
    }

    @Test
    func `a success between outages keeps the breaker closed`() {
        let breaker = self.breaker()
        self.fail(breaker, times: 2)
        #expect(breaker.admit() == .admitted)
        breaker.report(.working)
        self.fail(breaker, times: 2)
        #expect(breaker.admit() == .admitted)
    }

    @Test
    func `outages far apart do not accumulate`() {
        let breaker = self.breaker()
        self.fail(breaker, times: 2)
        self.clock.advance(by: .seconds(61))
        self.fail(breaker, times: 2)
        #expect(breaker.admit() == .admitted)
    }

    @Test
    func `after the open interval one probe passes and other calls wait for it`() {
        let breaker = self.breaker()
        self.fail(breaker, times: 3)
        self.clock.advance(by: .seconds(16))
        #expect(breaker.admit() == .admitted)
        #expect(breaker.admit() == .refused(retryAfter: 1))
        breaker.report(.working)
        #expect(breaker.admit() == .admitted)
    }

    @Test
    func `a failed probe opens the breaker again at once`() {
        let breaker = self.breaker()
        self.fail(breaker, times: 3)
        self.clock.advance(by: .seconds(16))
        self.fail(breaker, times: 1)
        #expect(self.isOpen(breaker))
    }

    @Test
    func `an inconclusive probe lets the next call probe`() {
        let breaker = self.breaker()
        self.fail(breaker, times: 3)
        self.clock.advance(by: .seconds(16))
        #expect(breaker.admit() == .admitted)
        breaker.report(.inconclusive)
        #expect(breaker.admit() == .admitted)
    }

    @Test
    func `a probe that never ends stops blocking`() {
        let breaker = self.breaker()
        self.fail(breaker, times: 3)
        self.clock.advance(by: .seconds(16))
        #expect(breaker.admit() == .admitted)
        self.clock.advance(by: .seconds(21))
        #expect(breaker.admit() == .admitted)
    }
}
