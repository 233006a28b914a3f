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
    func `it opens at the last of so many outages in a row`() {
        let breaker = self.breaker()
        self.fail(breaker, times: 3)
        #expect(breaker.admit() == .refused(retryAfter: 15))
    }

    @Test
    func `a working answer between outages keeps it closed`() {
        let breaker = self.breaker()
        self.fail(breaker, times: 2)
        #expect(breaker.admit() == .admitted)
        breaker.report(.working)
        self.fail(breaker, times: 2)
        #expect(breaker.admit() == .admitted)
    }

    @Test
    func `outages far apart do not add up`() {
        let breaker = self.breaker()
        self.fail(breaker, times: 2)
        self.clock.advance(by: .seconds(61))
        self.fail(breaker, times: 2)
        #expect(breaker.admit() == .admitted)
    }

    @Test
    func `after its time one probe passes and the others wait for it`() {
        let breaker = self.breaker()
        self.fail(breaker, times: 3)
        self.clock.advance(by: .seconds(16))
        #expect(breaker.admit() == .admitted)
        #expect(breaker.admit() == .refused(retryAfter: 1))
        breaker.report(.working)
        #expect(breaker.admit() == .admitted)
    }

    @Test
    func `a failed probe opens it again at once`() {
        let breaker = self.breaker()
        self.fail(breaker, times: 3)
        self.clock.advance(by: .seconds(16))
        self.fail(breaker, times: 1)
        #expect(self.isOpen(breaker))
    }

    @Test
    func `a probe that says nothing lets the next one try`() {
        let breaker = self.breaker()
        self.fail(breaker, times: 3)
        self.clock.advance(by: .seconds(16))
        #expect(breaker.admit() == .admitted)
        breaker.report(.inconclusive)
        #expect(breaker.admit() == .admitted)
    }

    @Test
    func `a probe that never comes back stops blocking`() {
        let breaker = self.breaker()
        self.fail(breaker, times: 3)
        self.clock.advance(by: .seconds(16))
        #expect(breaker.admit() == .admitted)
        self.clock.advance(by: .seconds(21))
        #expect(breaker.admit() == .admitted)
    }
}
