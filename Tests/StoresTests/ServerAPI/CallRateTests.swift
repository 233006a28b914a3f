import Testing

@testable import Stores

@Suite
struct CallRateTests {
    private final class Stopped: Sendable {
        let start = ContinuousClock.now
    }

    private let stopped = Stopped()

    private func rate(_ callsPerSecond: Int) -> CallRate {
        CallRate(callsPerSecond: callsPerSecond, now: { self.stopped.start })
    }

    @Test
    func `the calls of one second start at once and later ones one by one`() {
        let rate = self.rate(4)
        for _ in 0..<4 { #expect(rate.admit(within: .zero) == .admitted(after: .zero)) }
        #expect(rate.admit(within: .seconds(9)) == .admitted(after: .milliseconds(250)))
        #expect(rate.admit(within: .seconds(9)) == .admitted(after: .milliseconds(500)))
    }

    @Test
    func `a caller without time to wait uses no slot`() {
        let rate = self.rate(1)
        #expect(rate.admit(within: .zero) == .admitted(after: .zero))
        #expect(rate.admit(within: .milliseconds(900)) == .refused(retryAfter: 1))
        #expect(rate.admit(within: .seconds(1)) == .admitted(after: .seconds(1)))
        #expect(rate.admit(within: .milliseconds(1_500)) == .refused(retryAfter: 2))
    }

    @Test
    func `slots are restored over time`() {
        let clock = ManualClock()
        let rate = CallRate(callsPerSecond: 2, now: { clock.now })
        for _ in 0..<2 { #expect(rate.admit(within: .zero) == .admitted(after: .zero)) }
        #expect(rate.admit(within: .zero) == .refused(retryAfter: 1))
        clock.advance(by: .seconds(1))
        for _ in 0..<2 { #expect(rate.admit(within: .zero) == .admitted(after: .zero)) }
    }

    @Test
    func `a host that requests a pause gets it`() {
        let rate = self.rate(10)
        rate.rest(forSeconds: 30)
        #expect(rate.admit(within: .seconds(5)) == .refused(retryAfter: 30))
        rate.rest(forSeconds: 10)
        #expect(rate.admit(within: .seconds(5)) == .refused(retryAfter: 30))
    }
}
